// The image's archive: the same bytes from the same tree, read back as the specification has it, and started as the Dockerfile says.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { imageConfig } from "../../scripts/support/image-config.ts";
import { sha256Of, writeImage } from "../../scripts/support/oci.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-archive-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A tree of two files; its times and the order in which it is made are those of the moment. */
function tree(name: string, files: readonly string[]): string {
  const root = join(folder, name);
  mkdirSync(join(root, "app"), { recursive: true });
  for (const file of files) {
    writeFileSync(join(root, file), `the text of ${file}\n`);
    utimesSync(join(root, file), new Date(), new Date());
  }
  return root;
}

test("two trees of the same files make the same archive", () => {
  const config = imageConfig("1.2.3", "0123abc");
  const name = "docker.io/library/northgate:1.2.3";
  const archives = [
    ["one", ["app/a", "b"]],
    ["two", ["b", "app/a"]],
  ] as const;
  const made = archives.map(([at, files]) => {
    const out = join(folder, `${at}.tar`);
    const digest = writeImage({ tree: tree(at, files), name, config }, out);
    return { digest, sum: sha256Of(out) };
  });
  expect(made[1]).toEqual(made[0]);
});

test.each([
  ["gzip", ".layer.v1.tar+gzip", gunzipSync],
  ["tar", ".layer.v1.tar", (bytes: Buffer) => bytes],
] as const)(
  "with its layer as %s it holds what its digests say: a manifest, the settings and one layer",
  (kept, type, opened) => {
    const out = join(folder, `${kept}.tar`);
    const config = imageConfig("1.2.3", "");
    const digest = writeImage({ tree: tree(kept, ["b"]), name: "northgate:1.2.3", config, layer: kept }, out);
    const blobs = join(folder, `blobs-${kept}`);
    mkdirSync(blobs);
    execFileSync("tar", ["--extract", "-f", out, "-C", blobs]);
    const blob = (of: string): Buffer => {
      const bytes = readFileSync(join(blobs, "blobs", of.replace(":", "/")));
      expect(`sha256:${createHash("sha256").update(bytes).digest("hex")}`).toBe(of);
      return bytes;
    };
    const index = json(readFileSync(join(blobs, "index.json")));
    expect(index).toMatchObject({
      manifests: [{ digest, annotations: { "io.containerd.image.name": "northgate:1.2.3" } }],
    });
    const manifest = json(blob(digest)) as {
      readonly config: { readonly digest: string };
      readonly layers: readonly { readonly digest: string; readonly mediaType: string }[];
    };
    expect(manifest.layers.map(({ mediaType }) => mediaType)).toEqual([`application/vnd.oci.image${type}`]);
    const layer = opened(blob(manifest.layers[0]?.digest ?? ""));
    const settings = json(blob(manifest.config.digest));
    expect(settings).toMatchObject({
      ...{ os: "linux", config },
      rootfs: { diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
    });
    const names = execFileSync("tar", ["--list"], { input: layer, encoding: "utf8" });
    expect(names.trim().split("\n")).toEqual(["./", "./app/", "./b"]);
  },
);

test("the Dockerfile's last stage starts the program in the same way", () => {
  const [, last = ""] = readFileSync("Dockerfile", "utf8").split(/^FROM scratch$/m);
  const said = (word: string) => new RegExp(`^${word} (.*)$`, "m").exec(last)?.[1] ?? "";
  const { User, Entrypoint, Cmd, WorkingDir, Env, ExposedPorts = {} } = imageConfig("", "");
  expect(said("USER")).toBe(User);
  expect(JSON.parse(said("ENTRYPOINT"))).toEqual(Entrypoint);
  expect(JSON.parse(said("CMD"))).toEqual(Cmd);
  expect(said("WORKDIR")).toBe(WorkingDir);
  expect([said("ENV")]).toEqual(Env);
  expect(Object.keys(ExposedPorts)).toEqual([`${said("EXPOSE")}/tcp`]);
});

function json(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}
