// Who may read the metrics over HTTPS, as a real API server says: with the rights of manifests/metrics-auth, and without.
// No line that the program logs holds a token or a part of a key.

import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { newAuthority } from "../test/kube/certificates.ts";
import { eventually } from "../test/support/eventually.ts";
import { adminPolicy, baselinePolicy, clusterPolicy } from "../test/kube/objects.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import type { Run } from "./running.ts";

const authority = newAuthority();

/** Of a ClusterRole. */
interface Rule {
  readonly verbs: readonly string[];
  readonly resources?: readonly string[];
}

interface Got {
  readonly status: number;
  readonly body: string;
}

await describeEndToEnd("who may read the metrics", { networkPolicy: true }, (harness) => {
  const secrets: string[] = [];

  afterEach(async () => {
    await harness().end();
  }, slow);

  const kubectl = (...args: readonly string[]) => harness().plane.kubectl(args);
  const tokenOf = async (account: string): Promise<string> => {
    const token = (await kubectl("create", "token", account, "-n", "northgate-system")).trim();
    // A signature is the last part of the three, and the only secret one.
    secrets.push(token.split(".")[2] ?? "");
    return token;
  };

  function start(): Run {
    const { certificate, key } = authority.serving();
    secrets.push(...key.split("\n").filter((line) => line.length > 40));
    const [cert, secret] = ["serving.crt", "serving.key"].map((file) => join(harness().dir, file));
    writeFileSync(cert ?? "", certificate);
    writeFileSync(secret ?? "", key);
    const files = [`--metrics-cert=${cert}`, `--metrics-key=${secret}`];
    // With every kind, so that each right is used.
    return harness().start({ args: ["--metrics-auth=token", ...files] });
  }

  /** `verb resource` for each right of the program's own roles. */
  const rights = (): readonly string[] =>
    ["base", "components/network-policy", "metrics-auth"]
      .flatMap((folder) => parseAllDocuments(readFileSync(`manifests/${folder}/rbac.yaml`, "utf8")))
      .map((document) => document.toJS() as { readonly rules?: readonly Rule[] })
      .flatMap(({ rules = [] }) => rules)
      .flatMap(({ verbs, resources = [] }) =>
        verbs.flatMap((verb) => resources.map((what) => `${verb} ${what}`)),
      );

  async function get(run: Run, path: string, token: string | null): Promise<Got> {
    const url = new URL(path, await run.address());
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      const sent = request(url, { ca: authority.certificate, agent: false, headers }, (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (body += piece));
        answer.on("error", reject);
        answer.on("end", () => {
          resolve({ status: answer.statusCode ?? 0, body });
        });
      });
      sent.on("error", reject);
      sent.end();
    });
  }

  test(
    "probes need no token; who is let reads, who is not gets 401 or 403, and nobody when tokens cannot be reviewed",
    async () => {
      for (const account of ["reader", "other"])
        await kubectl("create", "serviceaccount", account, "-n", "northgate-system");
      const [reader, other] = [await tokenOf("reader"), await tokenOf("other")];
      const run = start();
      await eventually(async () => {
        expect(await get(run, "/readyz", null)).toEqual({ status: 200, body: "ok\n" });
      }, 30_000);
      expect((await get(run, "/healthz", null)).status).toBe(200);

      // manifests/base alone lets the program review nothing.
      expect(await get(run, "/metrics", reader)).toEqual({
        status: 503,
        body: "the token could not be reviewed\n",
      });
      expect(run.log().find(({ status }) => status === 503)).toMatchObject({
        level: "warn",
        message: "a client may not read the metrics",
        reason: expect.stringContaining("the API server forbids it (403") as unknown,
      });
      await kubectl("apply", "-k", "manifests/metrics-auth");
      await kubectl(
        ...["create", "clusterrolebinding", "reader", "--clusterrole=northgate-metrics-reader"],
        "--serviceaccount=northgate-system:reader",
      );
      await eventually(async () => {
        const got = await get(run, "/metrics", reader);
        expect(got.status).toBe(200);
        expect(got.body).toContain("northgate_build_info");
      }, 30_000);

      expect(await get(run, "/metrics", null)).toEqual({ status: 401, body: "a bearer token is needed\n" });
      const forged = `${reader.slice(0, -6)}AAAAAA`;
      secrets.push(forged.split(".")[2] ?? "");
      expect(await get(run, "/metrics", forged)).toEqual({
        status: 401,
        body: "the API server does not know this token\n",
      });
      expect(await get(run, "/metrics", other)).toEqual({
        status: 403,
        body: "system:serviceaccount:northgate-system:other may not get /metrics\n",
      });
      // What the scrape costs the API server: the second is answered from memory.
      const { audit } = harness();
      const asked = audit.requests().length;
      expect((await get(run, "/metrics", reader)).status).toBe(200);
      expect(audit.tally(asked)["create tokenreviews"]).toBeUndefined();

      // Every kind of policy, and an event: of all rights each is used, and nothing else is asked for.
      const subject = { namespaces: {} };
      await harness().objects.apply(
        adminPolicy("too-high", { priority: 500, subject, ingress: [] }),
        baselinePolicy({ subject, ingress: [] }),
        clusterPolicy("newer", { tier: "Admin", priority: 5, subject, ingress: [] }),
      );
      // And a deletion: whether it is the policy's or its CRD's, the CRD says.
      const [newer] = await harness().objects.create([
        clusterPolicy("short", { tier: "Admin", priority: 6, subject, ingress: [] }),
      ]);
      if (newer !== undefined) await harness().objects.remove(newer);
      await eventually(() => {
        expect(Object.keys(audit.tally()).sort()).toEqual([...new Set(rights())].sort());
      }, 30_000);

      secrets.push(
        /"token":"([^"]+)"/.exec(readFileSync(harness().kubeconfig, "utf8"))?.[1]?.split(".")[2] ?? "",
      );
      await harness().end();
      const log = JSON.stringify(run.log());
      expect(secrets.length).toBeGreaterThan(5);
      for (const secret of secrets) {
        expect(secret.length).toBeGreaterThan(30);
        expect(log).not.toContain(secret);
      }
    },
    slow,
  );
});
