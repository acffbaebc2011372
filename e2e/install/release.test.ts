// What `make release` makes, as its users find it: every sum, the statement, the signatures as openssl checks them, and the commands of
// docs/install.md that install from its files. The release is made twice, with keys of two kinds; what should be equal is.

import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { signedText } from "../../scripts/support/signing.ts";
import { sha256Of } from "../../scripts/support/oci.ts";
import { patience } from "../../test/support/patience.ts";
import { commandsOf, runBlock } from "./documented.ts";
import { helm, helmOrSkip } from "./helm.ts";

const folder = mkdtempSync("/tmp/ngrel-");
const keys = {
  ed25519: join(folder, "ed25519.pem"),
  ec: join(folder, "ec.pem"),
  rsa: join(folder, "rsa.pem"),
};
const releases = { ed25519: join(folder, "one"), ec: join(folder, "two") };
const publicKey = (kind: keyof typeof keys) => keys[kind].replace(".pem", ".pub");
const slow = patience(300_000);
const isBuilt = existsSync("dist/main.js");

function make(...args: readonly string[]) {
  const env = { ...process.env, NODE_OPTIONS: "" };
  return spawnSync(process.execPath, ["scripts/release.ts", ...args], {
    encoding: "utf8",
    env,
    timeout: slow,
  });
}

beforeAll(() => {
  if (!isBuilt) throw new Error("no dist/: run `make build`");
  const generate = (kind: keyof typeof keys, ...options: readonly string[]) => {
    execFileSync("openssl", ["genpkey", "-out", keys[kind], "-algorithm", ...options], { stdio: "ignore" });
    execFileSync("openssl", ["pkey", "-in", keys[kind], "-pubout", "-out", publicKey(kind)]);
  };
  generate("ed25519", "ed25519");
  generate("ec", "EC", "-pkeyopt", "ec_paramgen_curve:P-256");
  generate("rsa", "RSA");
  const made = [
    make(releases.ed25519, "--key", keys.ed25519),
    make(releases.ec, "--key", keys.ec, "--without-image"),
  ];
  expect(made.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  for (const file of readdirSync(releases.ed25519)) expect(made[0]?.stdout).toContain(`  ${file} `);
}, 2 * slow);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const blocks = commandsOf("docs/install.md");
/** A command of the page, in an empty folder. Without the clone's own programs, but with its Node, npm and helm. */
async function run(name: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const cwd = mkdtempSync(join(folder, "at-"));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((one) => !one.includes("node_modules"));
  const PATH = [dirname(process.execPath), dirname(helm), ...path].join(delimiter);
  const quick = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
  const asked = {
    RELEASE: releases.ed25519,
    PUBLIC_KEY: publicKey("ed25519"),
    IMAGE: "registry.example/northgate",
    TAG: "0.1.0",
  };
  return runBlock(blocks.get(name) ?? "false", {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "", PATH, ...quick, ...asked, ...more },
  });
}

const signed = ["SHA256SUMS", "SHA256SUMS.sig", "provenance.dsse.json", "release.pub"];

/** Names of files with their sums, as SHA256SUMS has them. */
function sumsIn(release: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

test("all files are there, each has its sum, and the page's commands check them", async () => {
  const files = readdirSync(releases.ed25519).filter((file) => !signed.includes(file));
  expect(
    files.map((file) => file.replaceAll(/\d+\.\d+\.\d+/g, "V").replace(/linux-\w+/, "linux")).sort(),
  ).toEqual([
    ...[
      "IMAGE-LICENSES.txt",
      "LICENSE",
      "NOTES.md",
      "THIRD-PARTY-LICENSES.txt",
      "kubectl-northgate-vV.tar.gz",
    ],
    ...[
      "northgate-V-linux.oci.cdx.json",
      "northgate-V-linux.oci.tar",
      "northgate-V.cdx.json",
      "northgate-V.tgz",
    ],
    ...["northgate-chart-V.tgz", "northgate-ovsdb-client-V.tgz", "northgate.yaml", "provenance.json"],
  ]);
  const sums = sumsIn(releases.ed25519);
  expect([...sums.keys()].sort()).toEqual([...files].sort());
  for (const file of files)
    expect([file, sums.get(file)]).toEqual([file, sha256Of(join(releases.ed25519, file))]);
  await run("release-sums");
  expect(await run("release-signature")).toContain("Signature Verified Successfully");
  const ecdsa = { RELEASE: releases.ec, PUBLIC_KEY: publicKey("ec") };
  expect(await run("release-signature", ecdsa)).toContain("Signature Verified Successfully");
});

test("a changed byte is found: in a file by its sum, in the sums by the signature, and so is another key", async () => {
  const changed = join(folder, "changed");
  mkdirSync(changed);
  for (const file of readdirSync(releases.ec)) copyFileSync(join(releases.ec, file), join(changed, file));
  const environment = { RELEASE: changed, PUBLIC_KEY: publicKey("ec") };
  const flip = (file: string) => {
    const bytes = readFileSync(join(changed, file));
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(join(changed, file), bytes);
  };
  const chart = readdirSync(changed).find((file) => file.startsWith("northgate-chart-")) ?? "";
  flip(chart);
  await expect(run("release-sums", environment)).rejects.toThrow(`${chart}: FAILED`);
  expect(await run("release-signature", environment)).toContain("Signature Verified Successfully");
  await expect(
    run("release-signature", { ...environment, PUBLIC_KEY: publicKey("ed25519") }),
  ).rejects.toThrow();
  flip("SHA256SUMS");
  await expect(run("release-signature", environment)).rejects.toThrow("Signature Verification Failure");
});

test.each(["ed25519", "ec"] as const)(
  "the statement is about every file, and openssl checks its envelope: %s",
  (kind) => {
    const release = releases[kind];
    const text = readFileSync(join(release, "provenance.json"));
    const statement = JSON.parse(text.toString()) as {
      readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
    };
    expect(statement).toMatchObject({
      ...{ _type: "https://in-toto.io/Statement/v1", predicateType: "https://slsa.dev/provenance/v1" },
      predicate: { buildDefinition: { externalParameters: { command: "make release" } } },
    });
    const subjects = new Map(statement.subject.map((one) => [one.name, one.digest.sha256]));
    const sums = new Map(sumsIn(release));
    expect(sums.delete("provenance.json")).toBe(true);
    expect([...subjects]).toEqual([...sums]);

    const envelope = JSON.parse(readFileSync(join(release, "provenance.dsse.json"), "utf8")) as {
      readonly payload: string;
      readonly payloadType: string;
      readonly signatures: readonly { readonly sig: string }[];
    };
    expect(Buffer.from(envelope.payload, "base64")).toEqual(text);
    expect(signedText(Buffer.from("hi"), "a/b").toString()).toBe("DSSEv1 3 a/b 2 hi");
    const [message, signature] = [join(folder, `${kind}.text`), join(folder, `${kind}.sig`)];
    writeFileSync(message, signedText(text, envelope.payloadType));
    writeFileSync(signature, Buffer.from(envelope.signatures[0]?.sig ?? "", "base64"));
    const args = [
      "pkeyutl",
      "-verify",
      "-pubin",
      "-inkey",
      publicKey(kind),
      "-rawin",
      "-in",
      message,
      "-sigfile",
      signature,
    ];
    expect(execFileSync("openssl", args, { encoding: "utf8" })).toContain("Signature Verified Successfully");
    expect(readFileSync(join(release, "release.pub"), "utf8")).toBe(readFileSync(publicKey(kind), "utf8"));
  },
);

test("two releases of one checkout have equal files", () => {
  const [one, two] = [sumsIn(releases.ed25519), sumsIn(releases.ec)];
  const differing = [...two].filter(([file, sum]) => one.get(file) !== sum).map(([file]) => file);
  // It names the image in one of them alone.
  expect(differing).toEqual(["provenance.json"]);
  expect([...one.keys()].filter((file) => !two.has(file))).toHaveLength(3);
});

test(
  "the npm package, installed in an empty folder, says its version",
  async () => {
    expect(await run("release-npm")).toMatch(/^\d+\.\d+\.\d+ \(commit [\da-f]{40}(-dirty)?, Node/m);
  },
  slow,
);

test("Helm makes of the chart's archive what it makes of the chart's folder", async () => {
  if (!helmOrSkip()) return;
  const block = blocks.get("release-chart") ?? "";
  const fromArchive = await run("release-chart");
  const [, archive = ""] = /(\$RELEASE\/\S+)/.exec(block) ?? [];
  const env = {
    ...process.env,
    IMAGE: "registry.example/northgate",
    TAG: "0.1.0",
    PATH: `${dirname(helm)}:${process.env["PATH"] ?? ""}`,
  };
  const fromFolder = await runBlock(block.replace(archive, resolve("manifests/chart")), { cwd: folder, env });
  expect(fromArchive).toContain("kind: DaemonSet");
  expect(fromArchive).toBe(fromFolder);
});

test("the manifest for krew has the sum of the archive beside it", () => {
  const manifest = parse(readFileSync(join(releases.ed25519, "northgate.yaml"), "utf8")) as {
    readonly spec: { readonly platforms: readonly { readonly uri: string; readonly sha256: string }[] };
  };
  for (const { uri, sha256 } of manifest.spec.platforms)
    expect(sha256).toBe(sha256Of(join(releases.ed25519, uri.slice(uri.lastIndexOf("/") + 1))));
});

test("what it cannot use is refused before anything is made", () => {
  const into = join(folder, "refused");
  const refusals: readonly (readonly [says: string, ...args: readonly string[]])[] = [
    ["rsa.pem: a key of type rsa; Ed25519 and ECDSA are understood", into, "--key", keys.rsa],
    ["LICENSE: not a private key in PEM", into, "--key", resolve("LICENSE")],
    ["ENOENT", into, "--key", join(folder, "none.pem")],
    [`${releases.ec} is not empty`, releases.ec],
    ["one folder at most", into, into],
  ];
  for (const [says, ...args] of refusals) {
    const { status, stderr, stdout } = make(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
  }
  expect(existsSync(into)).toBe(false);
});
