// NetworkPolicies whose allows follow no connections, with packets: what answers needs a rule of its own, in a policy that
// follows none either; who stands before such a policy still decides. docs/rows.md tells people the same.

import { describe, expect, test } from "@jest/globals";
import { installed } from "../../src/dialects.ts";
import type { PodFact } from "../../src/model/facts.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import { ip, namespace, node, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { anp, np } from "../support/policies.ts";
import { Stage } from "./stage.ts";
import { shakenFromOutside, Talk } from "./talk.ts";
import { kindFlags } from "../support/dialects.ts";

const { dialects } = installed(kindFlags({ networkPolicy: true, stateless: true }));
const nodeAddress = ip("172.18.0.1");
const client = pod("a", "client", { node: "node-1", ips: ["10.0.0.16"], labels: { app: "client" } });
const near = pod("a", "near", { node: "node-1", ips: ["10.0.0.17"], labels: { app: "server" } });
const far = pod("a", "far", { node: "node-2", ips: ["10.0.1.18"], labels: { app: "server" } });
const facts: readonly WorldObject[] = [
  namespace("a"),
  node("node-1", {}, [nodeAddress]),
  node("node-2", {}, [ip("172.18.0.2")]),
  ...[client, near, far],
];
const app = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const serves = { ingress: [{ from: [app("client")], ports: [{ port: 80 }] }] };
const answers = { egress: [{ to: [app("client")] }] };

/** Of the servers. */
const policy = (name: string, isStateless: boolean, spec: object): PolicyObject =>
  np(name, { ...app("server"), ...spec }, "a", isStateless ? [["k8s.ovn.org/acl-stateless", "true"]] : []);
const bothWays = { policyTypes: ["Ingress", "Egress"] };

await describeWithDataplane("allows that follow no connections", () => {
  const stage = new Stage(facts, { installed: dialects });
  let nextPort = 50_000;
  const policies = (...objects: readonly WorldObject[]) => stage.policies(...objects);
  const shaken = (from: PodFact, to: PodFact) =>
    new Talk(stage.dataplane.wire, from, to, nextPort++).shaken();
  const goesOn = [true, true, true, true, true];

  test("a node's way to its pods is followed no more where such an allow is for its address too", async () => {
    const shakenByNode = () => shakenFromOutside(stage.dataplane.wire, nodeAddress, near, nextPort++);
    await policies(policy("serves", true, serves));
    expect(await shakenByNode()).toEqual([true, true]);
    await policies(policy("open", true, { ingress: [{}] }));
    expect(await shakenByNode()).toEqual([true, false]);
    await policies(policy("open", true, { ingress: [{}], egress: [{}] }));
    expect(await shakenByNode()).toEqual([true, true]);
  });

  describe.each([
    ["on one node", near],
    ["on two nodes", far],
  ])("%s", (_, server) => {
    test("a server answers where a rule allows its answers, and not otherwise", async () => {
      await policies(policy("serves", true, { ...bothWays, ...serves, ...answers }));
      expect(await shaken(client, server)).toEqual(goesOn);
      await policies(policy("serves", true, { ...bothWays, ...serves }));
      expect(await shaken(client, server)).toEqual([true, false]);
      // With the connection followed, its answers need no rule.
      await policies(policy("serves", false, { ...bothWays, ...serves }));
      expect(await shaken(client, server)).toEqual(goesOn);
    });

    test("answers need a rule that follows no connections, be they denied or not", async () => {
      await policies(policy("serves", true, serves));
      expect(await shaken(client, server)).toEqual([true, false]);
      await policies(
        policy("serves", true, serves),
        policy("answers", false, { policyTypes: ["Egress"], ...answers }),
      );
      expect(await shaken(client, server)).toEqual([true, false]);
      await policies(
        policy("serves", true, serves),
        policy("answers", true, { policyTypes: ["Egress"], ...answers }),
      );
      expect(await shaken(client, server)).toEqual(goesOn);
    });

    test("beside an allow that follows the connection, nobody does", async () => {
      await policies(policy("follows", false, { ...bothWays, ...serves }));
      expect(await shaken(client, server)).toEqual(goesOn);
      await policies(policy("follows", false, { ...bothWays, ...serves }), policy("serves", true, serves));
      expect(await shaken(client, server)).toEqual([true, false]);
    });

    test("an administrator's deny stands before them", async () => {
      const deny = anp("no", { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] });
      await policies(policy("serves", true, { ...bothWays, ...serves, ...answers }), deny);
      expect(await shaken(client, server)).toEqual([false]);
    });
  });
});
