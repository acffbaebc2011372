// What the threads of the page are given counts there: what of the world nobody reads, too.

import { expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import { np } from "../../../test/support/policies.ts";
import { everyDialect, everyKind } from "../../dialects.ts";
import { allRead, notReadOf } from "../../unknowns/foreign.ts";
import type { ThreadMode } from "./ui-thread.ts";
import { lintInThread } from "./ui-thread.ts";
import { byDefault } from "../../../test/support/backend-config.ts";

const mode: ThreadMode = {
  ...{ ...byDefault, families: null },
  kinds: everyKind,
};
const dns = { name: "dns", protocol: "udp", port: 53 } as const;
const objects = [
  ...[namespace("shop"), node("n"), pod("shop", "web", { node: "n", ips: ["10.0.0.1"] })],
  pod("shop", "dns", { node: "n", ips: ["10.0.0.2"], ports: [dns] }),
  np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "shop"),
];

test("nothing is called denied that a policy of a kind that is not read could allow", async () => {
  const cilium = {
    ...{ apiVersion: "cilium.io/v2", kind: "CiliumNetworkPolicy" },
    metadata: { name: "c", namespace: "shop" },
  };
  const notRead = notReadOf([{ value: cilium, place: null }], ["nobody knows"], everyDialect.policies);
  const idsWith = async (unread: typeof notRead) => {
    const { findings } = await lintInThread(
      { objects, kept: [], notRead: unread, workloads: [], services: [], isProving: true },
      mode,
    );
    return findings.map(({ id, policy }) => `${id} ${policy.kind}`);
  };
  expect(await idsWith(allRead)).toContain("NG008 NetworkPolicy");
  const told = await idsWith(notRead);
  expect(told).not.toContain("NG008 NetworkPolicy");
  expect(told).toEqual(expect.arrayContaining(["NG000 CiliumNetworkPolicy", "NG000 Cluster"]));
});
