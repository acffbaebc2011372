// `northgate support-bundle` as users run it, on a real API server and a real Northbound database, beside a `northgate run` of its own. The
// cluster's objects and logs hold a secret in every place where people put one: no bundle has it. With --anonymize, no name of the cluster is
// in it. A stand-in for a kubelet gives the logs, by the API server.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { ovnOrSkip } from "../support/find.ts";
import { patience } from "../support/patience.ts";
import { makeSwitch } from "../support/ports.ts";
import { mainFile } from "../support/main-file.ts";
import type { Ran } from "../support/program.ts";
import { northgate, startNorthgate } from "../support/program.ts";
import type { KubernetesObject } from "./api.ts";
import { create, createAll } from "./bulk.ts";
import { newAuthority } from "./certificates.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy, namespace, node, pod } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";

const slow = patience(300_000);
const ovn = await ovnOrSkip();
const marker = "m4rk3r-0f-a-s3cret";
const url = `https://admin:${marker}@api.example/`;

/** Names that stand nowhere by chance. */
const names = {
  namespace: "marmot-shop",
  pod: "ibex-7f9c",
  node: "chamois-1",
  policy: "lynx-guard",
  label: ["stoat-tier", "ermine"],
  address: "10.123.45.67",
  instance: "northgate-dormouse",
} as const;

const logged = [
  `{"time":"2026-11-27T10:00:00.000Z","level":"info","message":"a policy is in force","policy":"AdminNetworkPolicy ${names.policy}"}`,
  `{"time":"2026-11-27T10:00:01.000Z","level":"warn","message":"a finding in a policy","object":"NetworkPolicy gone-weasel/old-polecat","problem":"Authorization: Bearer ${marker}"}`,
  `2026-11-27T10:00:02.000Z WARN  a request failed reason="GET ${url}: token=${marker}" pod="${names.namespace}/${names.pod}"`,
];

const annotated = <T extends KubernetesObject>(object: T): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": `{"password":"${marker}"}`,
      note: marker,
    },
  },
});

/** Answers every request for a log with the lines; the API server asks with its own certificate, and does not look at ours. */
async function startKubelet() {
  const { certificate: cert, key } = newAuthority().serving();
  const server = createServer({ cert, key }, (request, response) => {
    response.end(`${logged.join("\n")}\nfor ${request.url ?? ""}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

/** While it runs, the kubelet of this process answers. */
function bundled(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: "" };
    const child = execFile(
      process.execPath,
      [mainFile, "support-bundle", ...args],
      { env },
      (_, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}

function unpacked(archive: string, into: string): ReadonlyMap<string, string> {
  mkdirSync(into);
  execFileSync("tar", ["-xzf", archive, "-C", into]);
  const entries = readdirSync(into, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = entries.map((one) => join(one.parentPath, one.name)).sort();
  return new Map(paths.map((path) => [path.slice(into.length + 1), readFileSync(path, "utf8")]));
}

await describeWithControlPlane("a support bundle of a real API server", (plane) => {
  (ovn === null ? test.skip : test)(
    "has what it announces, no secret, and with --anonymize no name",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "ng-bundle-"));
      const kubelet = await startKubelet();
      const database = await startOvn({ northd: false });
      const { api, kubeconfig } = plane();
      await installCrds(plane());
      await makeSwitch(database, [`${names.namespace}_${names.pod}`]);
      const host = node(names.node, { ips: ["127.0.0.1"], podCidrs: ["10.123.0.0/16"] });
      const daemonEndpoints = { kubeletEndpoint: { Port: kubelet.port } };
      const labels = { [names.label[0]]: names.label[1] };
      await createAll(api, [
        ...[namespace("northgate-system"), namespace(names.namespace, labels)],
        // Without its name, which no DNS of this machine knows.
        { ...host, status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }], daemonEndpoints } },
      ]);
      await plane().kubectl([
        "-n",
        names.namespace,
        "create",
        "secret",
        "generic",
        "hidden",
        `--from-literal=password=${marker}`,
      ]);
      const withVariables = (object: KubernetesObject, container: string): KubernetesObject => {
        const { containers, ...spec } = object.spec as { readonly containers: readonly object[] };
        const env = [
          { name: "DB_PASSWORD", value: marker },
          { name: "NORTHGATE_NB", value: `tcp:10.123.0.1:6641` },
          { name: "NORTHGATE_EXTRA_TOKEN", value: marker },
        ];
        return {
          ...object,
          spec: { ...spec, containers: containers.map((one) => ({ ...one, name: container, env })) },
        };
      };
      const web = pod(names.namespace, names.pod, { node: names.node, ips: [names.address], labels });
      await create(api, withVariables(annotated(web), "main"));
      const own = pod("northgate-system", names.instance, {
        ...{ node: names.node, ips: ["10.123.0.9"], labels: { "app.kubernetes.io/name": "northgate" } },
      });
      await create(api, withVariables(annotated(own), "northgate"));
      const subject = { namespaces: { matchLabels: labels } };
      await create(
        api,
        annotated(
          adminPolicy(names.policy, { priority: 5, subject, ingress: [{ action: "Deny", from: [subject] }] }),
        ),
      );
      const running = startNorthgate([
        ...[`--kubeconfig=${kubeconfig}`, `--nb=${database.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ]);
      const bundle = (name: string, ...flags: readonly string[]) =>
        bundled("--kubeconfig", kubeconfig, "--nb", database.nb, "-o", join(folder, name), ...flags);
      try {
        let address = "";
        await eventually(async () => {
          const line = running.log().find(({ message }) => message === "metrics are served");
          address = String(line?.["address"]);
          expect((await fetch(`${address}/readyz`)).status).toBe(200);
          const text = await plane().kubectl([
            "get",
            "anp",
            names.policy,
            "-o",
            "jsonpath={.status.conditions}",
          ]);
          expect(text).toContain("Ready-In-Zone");
        }, 60_000);

        const dry = northgate("support-bundle", "--kubeconfig", kubeconfig, "--dry-run");
        expect([dry.code, dry.stderr]).toEqual([0, ""]);
        const announcedIn = (text: string) => [...text.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
        const announced = announcedIn(dry.stdout);

        const plain = await bundle("plain.tar.gz", "--metrics-url", address);
        const notRead = (text: string) =>
          text.split("\n").filter((line) => /^(not read|skipped):/.test(line));
        expect([plain.code, plain.stderr, notRead(plain.stdout)]).toEqual([0, "", []]);
        expect(announcedIn(plain.stdout)).toEqual(announced);
        expect(statSync(join(folder, "plain.tar.gz")).mode & 0o777).toBe(0o600);
        const files = unpacked(join(folder, "plain.tar.gz"), join(folder, "plain"));
        // Each announced file is there, each folder has one, and there is nothing else.
        expect([...new Set([...files.keys()].map((name) => name.replace(/\/.*/, "/")))].sort()).toEqual(
          [...announced].sort(),
        );
        expect(files.get("unread.txt")).toBe("");
        const log = files.get(`logs/${names.instance}_northgate.log`) ?? "";
        expect(log).toContain("a policy is in force");
        expect(log).toMatch(/sinceSeconds=3600/);
        expect(log).toContain("Authorization: (removed)");
        expect([...files.values()].join("\n")).not.toContain(marker);
        // And it has what it is for.
        const json = (name: string) => JSON.parse(files.get(name) ?? "null") as unknown;
        expect(json("policies.json")).toMatchObject([
          { policy: { name: names.policy }, state: "in force", rows: { acls: 1 } },
        ]);
        expect(json("rows.json")).toMatchObject({
          ACL: [{ external_ids: { "k8s.ovn.org/name": names.policy } }],
        });
        expect(json("versions.json")).toMatchObject({
          kubernetes: expect.stringMatching(/^v1\./) as unknown,
          northboundSchema: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
        });
        expect(json("conditions.json")).toMatchObject({
          "AdminNetworkPolicy.policy.networking.k8s.io": [
            { name: names.policy, conditions: [{ status: "True" }] },
          ],
        });
        expect(json("instances.json")).toMatchObject([
          {
            name: names.instance,
            containers: [
              { env: { NORTHGATE_NB: "tcp:10.123.0.1:6641", NORTHGATE_EXTRA_TOKEN: "(removed)" } },
            ],
          },
        ]);
        expect(json("doctor.json")).toMatchObject({ schema: "northgate.doctor/1" });
        expect([...files].find(([name]) => name.startsWith("metrics/"))?.[1]).toContain(
          "northgate_build_info",
        );

        const hidden = await bundle("hidden.tar.gz", "--metrics-url", address, "--anonymize");
        expect([hidden.code, hidden.stderr, notRead(hidden.stdout)]).toEqual([0, "", []]);
        const anonymous = unpacked(join(folder, "hidden.tar.gz"), join(folder, "hidden"));
        const everything = [...anonymous].flat().join("\n");
        expect(everything).not.toContain(marker);
        for (const name of [
          ...Object.values(names).flat(),
          "gone-weasel",
          "old-polecat",
          "10.123.",
          "dormouse",
        ])
          expect([name, everything.includes(name)]).toEqual([name, false]);
        // The same word for the same name, everywhere, and the legend has it.
        const legend = JSON.parse(readFileSync(join(folder, "hidden.tar.gz.names.json"), "utf8")) as Record<
          string,
          string
        >;
        const [word = ""] = Object.entries(legend).find(([, name]) => name === names.policy) ?? [];
        for (const file of ["policies.json", "rows.json", "conditions.json"])
          expect([file, anonymous.get(file)?.includes(word)]).toEqual([file, true]);
        expect([...anonymous].find(([name]) => name.startsWith("logs/"))?.[1]).toContain(
          `AdminNetworkPolicy ${word}`,
        );

        // What cannot be read is said, and the rest is there: no kubelet answers, and no proxy reaches the pods.
        kubelet.stop();
        const partly = await bundled("--kubeconfig", kubeconfig, "-o", join(folder, "partly.tar.gz"));
        expect(partly.code).toBe(3);
        const rest = unpacked(join(folder, "partly.tar.gz"), join(folder, "partly"));
        expect(rest.get("unread.txt")).toMatch(
          /^not read: logs\/: northgate-system\/northgate-dormouse northgate: .+$/m,
        );
        expect(rest.get("unread.txt")).toMatch(
          /^not read: metrics\/: northgate-system\/northgate-dormouse northgate: .+$/m,
        );
        expect(rest.get("unread.txt")).toContain("skipped: rows.json: --nb names no database\n");
        expect(rest.has("policies.json")).toBe(true);
        expect((await bundle("plain.tar.gz")).code).toBe(2);
      } finally {
        await running.end();
        kubelet.stop();
        await database.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    slow,
  );

  test("without rights to read names, nothing anonymous is written", () => {
    const file = join(tmpdir(), `ng-none-${process.pid}.tar.gz`);
    const { code, stderr } = northgate(
      "support-bundle",
      "--kubeconfig",
      "/nonexistent",
      "-o",
      file,
      "--anonymize",
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /--anonymize: the names of the cluster cannot be read, so no archive is written: .*ENOENT/,
    );
    expect(existsSync(file)).toBe(false);
  });
});
