// The definitions of Antrea's kinds that we bring, on a real API server: they take the samples, prune nothing of them, and
// refuse what no policy may say.

import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { patience } from "../support/patience.ts";
import { describeWithControlPlane } from "./support.ts";

const folder = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const crds = folder("manifests/crds/antrea");
const kinds = ["clustergroups", "clusternetworkpolicies", "groups", "networkpolicies", "tiers"];
const create = ["create", "--validate=strict", "--dry-run=server"];

await describeWithControlPlane("the definitions of Antrea's kinds", (plane) => {
  beforeAll(async () => {
    await plane().kubectl(["create", "-k", crds]);
    const names = kinds.map((plural) => `crd/${plural}.crd.antrea.io`);
    await plane().kubectl([
      "wait",
      "--for=condition=Established",
      `--timeout=${patience(30_000)}ms`,
      ...names,
    ]);
    await plane().kubectl(["create", "namespace", "blue"]);
  }, patience(60_000));

  test("take the samples, whose fields they all know", async () => {
    await plane().kubectl([...create, "-f", folder("examples/antrea/policies")]);
  });

  const policy = (spec: object) =>
    JSON.stringify({
      ...{ apiVersion: "crd.antrea.io/v1beta1", kind: "ClusterNetworkPolicy", metadata: { name: "p" } },
      spec: { priority: 5, appliedTo: [{ podSelector: {} }], ...spec },
    });
  test.each<[string, object]>([
    ["spec.priority", { priority: 0 }],
    ["spec.ingress[0].action", { ingress: [{ action: "Deny" }] }],
    ["spec.ingress[0].logLabel", { ingress: [{ action: "Drop", logLabel: "a b" }] }],
    ["spec.egress[0].ports[0].protocol", { egress: [{ action: "Drop", ports: [{ protocol: "ICMP" }] }] }],
    ['unknown field "spec.when"', { when: "noon" }],
  ])("refuse %s of %j", async (message, spec) => {
    await expect(plane().kubectl([...create, "-f", "-"], { input: policy({}) })).resolves.toContain(
      "p created",
    );
    await expect(plane().kubectl([...create, "-f", "-"], { input: policy(spec) })).rejects.toThrow(message);
  });

  test("are not replaced where they are", async () => {
    await expect(plane().kubectl(["create", "-k", crds])).rejects.toThrow("AlreadyExists");
  });
});
