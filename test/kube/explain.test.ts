// `northgate explain`, `get`, `plan` and `lint` against a real API server: what they say is of the objects that it holds, and
// they change none of them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import { northgate } from "../support/program.ts";
import { startUi } from "../support/ui.ts";
import { patience } from "../support/patience.ts";
import { eventually } from "../support/eventually.ts";
import { create, createAll } from "./bulk.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy, namespace, node, pod } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";

const slow = patience(90_000);

await describeWithControlPlane("explain, get, plan and lint of a live cluster", (plane) => {
  test(
    "say what its policies mean, and lead an address of a Service to its pods",
    async () => {
      const { api, kubeconfig } = plane();
      const asked = ["--kubeconfig", kubeconfig];
      const connection = (to: string, port: number) =>
        northgate(
          "explain",
          ...asked,
          "--from",
          "web/a",
          "--to",
          to,
          "--protocol",
          "tcp",
          "--port",
          `${port}`,
          "-o",
          "json",
        );
      await createAll(api, [
        namespace("web"),
        namespace("db"),
        node("n", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24"] }),
      ]);
      await createAll(api, [
        pod("web", "a", { node: "n", ips: ["10.0.0.7"] }),
        pod("db", "b", { node: "n", ips: ["10.0.0.8"], labels: { app: "db" } }),
      ]);
      // Before there are CRDs there are no policies of their kinds.
      const without = connection("db/b", 5432);
      expect([without.code, without.stderr]).toEqual([0, ""]);
      expect(JSON.parse(without.stdout)).toMatchObject({ verdict: "allow", egress: { by: "default" } });

      await installCrds(plane());
      await create(
        api,
        adminPolicy("p", {
          ...{ priority: 5, subject: { namespaces: {} } },
          egress: [
            {
              action: "Deny",
              to: [{ namespaces: {} }],
              ports: [{ portNumber: { protocol: "TCP", port: 5432 } }],
            },
          ],
        }),
      );
      const service = {
        ...{ apiVersion: "v1", kind: "Service", metadata: { name: "db" } },
        spec: { selector: { app: "db" }, ports: [{ port: 80, targetPort: 5432 }] },
      };
      const stored = await api.object("POST", "/api/v1/namespaces/db/services", { body: service });
      const { clusterIP } = stored.spec as { clusterIP: string };
      await eventually(() => {
        const { code, stdout } = connection("db/b", 5432);
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({
          verdict: "deny",
          egress: { by: "rule", policy: { name: "p" }, rule: { index: 0, place: null } },
        });
      }, slow);
      // That of all its pods.
      expect(JSON.parse(connection(clusterIP, 80).stdout)).toMatchObject({
        verdict: "deny",
        caveats: [{ code: "ServiceAddress" }],
        backends: [{ to: "db/b@10.0.0.8", port: 5432, verdict: "deny" }],
      });
      expect(northgate("get", ...asked).stdout).toMatch(
        /\n1 +admin +5 +AdminNetworkPolicy p +2 pods +0 +1 +1\+1\+1 +in force\n$/,
      );

      // The page says the same, and follows the cluster.
      const ui = await startUi(...asked);
      const ask = async (path: string): Promise<unknown> => (await fetch(ui.address + path)).json();
      try {
        expect(await ask(`/api/explain?from=web/a&to=${clusterIP}&protocol=tcp&port=80`)).toMatchObject(
          JSON.parse(connection(clusterIP, 80).stdout) as object,
        );
        expect(await ask("/api/policies")).toMatchObject({ total: 1, policies: [{ subjects: 2 }] });
        await create(api, adminPolicy("q", { priority: 6, subject: { namespaces: {} } }));
        await eventually(async () => {
          expect(await ask("/api/policies")).toMatchObject({ total: 2, policies: [{}, { order: 2 }] });
        }, slow);
        await api.object("DELETE", "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies/q");
        await eventually(async () => {
          expect(await ask("/api/policies")).toMatchObject({ total: 1 });
        }, slow);
      } finally {
        await ui.end();
      }
    },
    slow,
  );

  test(
    "plan lays manifests over it as kubectl apply would, and --prune takes away what they do not have",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "ng-live-plan-"));
      try {
        const manifest = (name: string, port: number) => {
          const path = join(folder, `${name}.json`);
          const denied = {
            ...{ action: "Deny", to: [{ namespaces: {} }] },
            ports: [{ portNumber: { protocol: "TCP", port } }],
          };
          const spec = { priority: 5, subject: { namespaces: {} }, egress: [denied] };
          writeFileSync(path, JSON.stringify(adminPolicy(name, spec)));
          return path;
        };
        const planned = (...args: readonly string[]) => {
          const { code, stdout } = northgate(
            "plan",
            "--kubeconfig",
            plane().kubeconfig,
            "-o",
            "json",
            ...args,
          );
          const { objects, verdicts } = JSON.parse(stdout) as PlanReport;
          const classes = verdicts.changes.flatMap(({ old, new: next, traffic }) =>
            traffic.map(({ protocol, ports }) => `${old} → ${next} ${protocol} ${JSON.stringify(ports)}`),
          );
          const names = (of: readonly { readonly name: string }[]) => of.map(({ name }) => name);
          return {
            ...{ code, classes: classes.sort() },
            objects: [names(objects.added), names(objects.changed), names(objects.removed)],
          };
        };
        expect(planned("-f", manifest("p", 5432))).toEqual({ code: 0, classes: [], objects: [[], [], []] });
        expect(planned("-f", manifest("p", 5433))).toEqual({
          ...{ code: 2, objects: [[], ["p"], []] },
          classes: ["allow → deny tcp [[5433,5433]]", "deny → allow tcp [[5432,5432]]"],
        });
        expect(planned("-f", manifest("q", 5433))).toEqual({
          ...{ code: 2, objects: [["q"], [], []] },
          classes: ["allow → deny tcp [[5433,5433]]"],
        });
        expect(planned("-f", manifest("q", 5433), "--prune")).toEqual({
          ...{ code: 2, objects: [["q"], [], ["p"]] },
          classes: ["allow → deny tcp [[5433,5433]]", "deny → allow tcp [[5432,5432]]"],
        });
        const { code, stdout } = northgate("lint", "--kubeconfig", plane().kubeconfig, "-o", "json");
        expect([code, JSON.parse(stdout)]).toMatchObject([0, { counts: { error: 0 } }]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    slow,
  );

  test(
    "answer who may not list Services and Antrea's kinds, and say what is not known then",
    async () => {
      const kubeconfig = await plane().user({ name: "narrow" });
      const rule = (group: string, ...resources: readonly string[]) => ({
        ...{ apiGroups: [group], resources, verbs: ["list"] },
      });
      const role = {
        ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "narrow" } },
        rules: [
          rule("", "pods", "namespaces", "nodes"),
          rule("networking.k8s.io", "networkpolicies"),
          rule("policy.networking.k8s.io", "*"),
        ],
      };
      await plane().kubectl(["apply", "-f", "-"], { input: JSON.stringify(role) });
      const binding = ["create", "clusterrolebinding", "narrow"];
      await plane().kubectl([...binding, "--clusterrole=narrow", "--user=narrow"]);
      const folder = mkdtempSync(join(tmpdir(), "ng-narrow-"));
      const policy = {
        ...{ apiVersion: "crd.antrea.io/v1beta1", kind: "ClusterNetworkPolicy", metadata: { name: "named" } },
        spec: { priority: 1, appliedTo: [{ group: "there" }], ingress: [{ action: "Drop" }] },
      };
      writeFileSync(join(folder, "p.yaml"), JSON.stringify(policy));
      const connection = ["--from", "192.0.2.9", "--to", "198.51.100.9", "--protocol", "tcp", "--port", "1"];
      const commands: readonly (readonly string[])[] = [
        ["explain", ...connection],
        ["get"],
        ["lint", "--fail-on", "error"],
        ["plan", "-f", folder],
      ];
      try {
        await eventually(() => {
          const asked = northgate("get", "--kubeconfig", kubeconfig);
          expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining("could not be listed")]);
        }, 20_000);
        for (const [command = "", ...more] of commands) {
          const { code, stdout, stderr } = northgate(command, "--kubeconfig", kubeconfig, ...more);
          // The plan may have found a difference.
          expect([command, command === "plan" && code === 2 ? 0 : code]).toEqual([command, 0]);
          const lines = stderr.split("\n");
          for (const kind of ["Service", "Tier.crd.antrea.io", "NetworkPolicy.crd.antrea.io"])
            expect(lines).toContainEqual(
              expect.stringContaining(`warning: ${kind} objects could not be listed: `),
            );
          expect(stderr).not.toMatch(/ error: /);
          if (command === "plan") {
            expect(stderr).toContain("spec.appliedTo[0].group: it could not be listed: what the policy does");
            expect(stdout).toContain("could not be listed");
          }
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    slow,
  );
});
