// What is said with a network plugin, against its answers by another way than policies: the judge is asked what the policies say, with
// the addresses of pods as they are and as no network has them, and with the APIs' policies saying nothing but allow, or but deny.

import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { askedIn } from "../../test/support/asked-world.ts";
import { ip, namespace, node } from "../../test/support/facts.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { connectionsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { sidesOf } from "../explain/sides.ts";
import { contains } from "../model/cidr.ts";
import type { Connection, End, World } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import { directions, everyPeer, policyKey } from "../policy/ir.ts";
import { outcomes } from "../policy/ties.ts";
import type { Cni } from "./answers.ts";
import { cnis } from "./answers.ts";

const elsewhere = ip("203.0.113.9");
const api = "networking.k8s.io";

/** Pods and nodes have no address in common, and every pod's namespace is known, as it is to commands. */
function apart({ world, pods }: IrWorld): IrWorld {
  const nodes = [node("n", { role: "edge" }, ["172.18.0.2"])];
  const missing = pods.map((one) => namespace(one.namespace));
  const namespaces = new Map([...missing, ...world.namespaces.values()].map((fact) => [fact.name, fact]));
  return {
    world: { namespaces, nodes, hostNames: [] },
    pods: pods.map((one, at) => ({ ...one, node: at % 2 === 0 ? "n" : "m" })),
  };
}

/** Half of the policies are of Kubernetes' API; networks are peers of their own, as these APIs have them. */
function plain(policies: readonly Policy[]): readonly Policy[] {
  const simple = ({ index, name, action, share, subject, ports, logging, peers }: Rule): Rule => ({
    ...{ index, name, action, share, subject, ports, logging },
    peers: peers.filter(({ kind }) => kind !== "narrowed" && kind !== "others"),
  });
  return policies.map((policy, at) => {
    const ref = at % 2 === 0 ? { ...policy.ref, group: api } : policy.ref;
    const { ingress, egress } = policy.rules;
    const rules = { ingress: ingress.map(simple), egress: egress.map(simple) };
    return { ...policy, ref, key: policyKey(ref), rules };
  });
}

const moved = (end: End): End => (end.pod === null ? end : { ...end, ip: elsewhere });

/** What the policies say where no network is about a pod. */
function withoutPods({ from, to, ...rest }: Connection): Connection {
  return { ...rest, from: moved(from), to: moved(to) };
}

/** The APIs' policies, where they say anything, as if they allowed or denied everything. */
function saying(action: "allow" | "deny", policies: readonly Policy[]): readonly Policy[] {
  return policies.map((policy) => {
    if (policy.ref.group !== api) return policy;
    const rule: Rule = {
      ...{
        index: 0,
        name: "",
        action,
        share: null,
        subject: null,
        peers: everyPeer,
        ports: null,
        logging: null,
      },
    };
    const says = (direction: (typeof directions)[number]) =>
      policy.rules[direction].length > 0 || policy.unmatched[direction] === "deny";
    const own = directions.flatMap((direction) =>
      policy.rules[direction].flatMap(({ subject }) => subject ?? []),
    );
    return {
      ...policy,
      subject: [...policy.subject, ...own],
      rules: { ingress: says("ingress") ? [rule] : [], egress: says("egress") ? [rule] : [] },
    };
  });
}

function isOwnNode({ from, to }: Connection, { nodes }: World): boolean {
  const own = [...nodes];
  return [
    [from, to],
    [to, from],
  ].some(([one, other]) =>
    own.some(({ name, ips }) => ips.some((each) => each === one?.ip) && other?.pod?.node === name),
  );
}

/** Verdicts of some clusters with the plugin, which need not be all. */
function givenBy(cni: Cni, connection: Connection, world: World, policies: readonly Policy[]) {
  const ways = {
    yes: [connection],
    no: [withoutPods(connection)],
    open: [connection, withoutPods(connection)],
  };
  const isOther = connection.protocol !== "tcp" && connection.protocol !== "udp";
  const lists = [
    policies,
    ...cni.icmp.outcomes.flatMap((one) => (!isOther || one === "policies" ? [] : [saying(one, policies)])),
  ];
  return ways[cni.podsInNetworks.matches].flatMap((one) =>
    lists.map((list) => judge(one, world, list).verdict),
  );
}

const drawn = fc.tuple(irWorlds.map(apart), irPolicies.map(plain), fc.nat());

test.each(cnis.map((cni) => [cni.name, cni] as const))(
  "%s: no verdict that another cluster may not have",
  (_, cni) => {
    const seen = { sure: 0, open: 0, met: 0 };
    fc.assert(
      fc.property(drawn, ([{ world, pods }, policies, pick]) => {
        const asked = askedIn({ world, pods }, policies, { cni });
        const networks = policies
          .flatMap(({ rules }) => [...rules.ingress, ...rules.egress])
          .flatMap(({ peers }) => peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr] : [])));
        for (const connection of connectionsIn({ world, pods }, ip).filter(
          (_one, at) => at % 11 === pick % 11,
        )) {
          if (isOwnNode(connection, world) || outcomes(connection, world, policies).ties.length > 0) continue;
          const nodes = [...world.nodes].flatMap(({ ips }) => ips);
          const ends = [connection.from, connection.to];
          if (cni.nodesInNetworks.matches === "no" && ends.some((end) => nodes.includes(end.ip))) continue;
          const { verdict } = sidesOf(asked, connection, { isDetailed: false });
          const isMet =
            (connection.protocol !== "tcp" && connection.protocol !== "udp") ||
            ends.some((end) => end.pod !== null && networks.some((cidr) => contains(cidr, end.ip)));
          const given = givenBy(cni, connection, world, policies);
          if (verdict !== "unknown") expect([...new Set(given)]).toEqual([verdict]);
          // Where nothing is open the verdict is sure, and the judge's.
          if (!isMet) expect(verdict).toBe(judge(connection, world, policies).verdict);
          seen[verdict === "unknown" ? "open" : "sure"] += 1;
          if (isMet) seen.met += 1;
        }
      }),
      { numRuns: 120 },
    );
    expect(seen.sure).toBeGreaterThan(300);
    expect(seen.met).toBeGreaterThan(50);
    const isEverOpen = cni.podsInNetworks.matches === "open" || cni.icmp.outcomes.length > 1;
    if (isEverOpen) expect(seen.open).toBeGreaterThan(20);
  },
);
