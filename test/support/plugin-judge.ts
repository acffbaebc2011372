// A judge of clusters with a network plugin that reads its answers by another way than policies: what the policies say, with the
// networks of rules and without those about pods, and with the APIs' policies saying nothing but allow, or but deny. And
// random worlds in which the answers about the network of nodes have no part.

import { contains } from "../../src/model/cidr.ts";
import type { Cni, Outcome } from "../../src/cni/answers.ts";
import type { Connection, End, World } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Policy, PortMatch, Rule } from "../../src/policy/ir.ts";
import { directions, everyPeer, policyKey } from "../../src/policy/ir.ts";
import { outcomes } from "../../src/policy/ties.ts";
import { namespace, node } from "./facts.ts";
import type { IrWorld } from "./ir.ts";

const api = "networking.k8s.io";

/** Pods and nodes have no address in common, and every pod's namespace is known, as it is to commands. */
export function apart({ world, pods }: IrWorld): IrWorld {
  const nodes = [node("n", { role: "edge" }, ["172.18.0.2"])];
  const missing = pods.map((one) => namespace(one.namespace));
  const namespaces = new Map([...missing, ...world.namespaces.values()].map((fact) => [fact.name, fact]));
  return {
    world: { namespaces, nodes, hostNames: [] },
    pods: pods.map((one, at) => ({ ...one, node: at % 2 === 0 ? "n" : "m" })),
  };
}

/** Half of the policies are of Kubernetes' API; networks are peers of their own, as these APIs have them. */
export function plain(policies: readonly Policy[]): readonly Policy[] {
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

/** What the policies say of the connection where no network is about a pod. */
function withoutPods({ from, to }: Connection, policies: readonly Policy[]): readonly Policy[] {
  const others = (rules: readonly Rule[], { pod }: End): readonly Rule[] =>
    pod === null
      ? rules
      : rules.map((rule) => ({ ...rule, peers: rule.peers.filter(({ kind }) => kind !== "network") }));
  return policies.map((policy) => {
    const { ingress, egress } = policy.rules;
    return { ...policy, rules: { ingress: others(ingress, from), egress: others(egress, to) } };
  });
}

/** NetworkPolicies whose rules are about the first ports of ranges alone. */
function firstPorts(policies: readonly Policy[]): readonly Policy[] {
  const first = (port: PortMatch): PortMatch => (port.kind === "range" ? { ...port, end: port.start } : port);
  const of = (rules: readonly Rule[]): readonly Rule[] =>
    rules.map((rule) => ({ ...rule, ports: rule.ports?.map(first) ?? null }));
  return policies.map((policy) => {
    const { ref, rules } = policy;
    return ref.group === api
      ? { ...policy, rules: { ingress: of(rules.ingress), egress: of(rules.egress) } }
      : policy;
  });
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

/** Of connections that policies of Kubernetes' APIs apply to. */
function outcomesOf({ icmp, sctp }: Cni, { protocol }: Connection): readonly Outcome[] {
  if (protocol === "tcp" || protocol === "udp") return [];
  return protocol === "sctp" ? sctp.outcomes : icmp.outcomes;
}

/** Verdicts of some clusters with the plugin, which need not be all. */
export function givenBy(cni: Cni, connection: Connection, world: World, policies: readonly Policy[]) {
  const ways = {
    yes: [policies],
    no: [withoutPods(connection, policies)],
    open: [policies, withoutPods(connection, policies)],
  };
  const lists = ways[cni.podsInNetworks.matches].flatMap((some) =>
    cni.portRanges.covers === "open" ? [some, firstPorts(some)] : [some],
  );
  return lists.flatMap((some) =>
    [
      some,
      ...outcomesOf(cni, connection).flatMap((one) => (one === "policies" ? [] : [saying(one, some)])),
    ].map((list) => judge(connection, world, list).verdict),
  );
}

/** Whether `givenBy` can answer: nothing of it is between a pod and its node, or about a node that no network is about. */
export function isAnswered(
  { nodesInNetworks }: Cni,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): boolean {
  if (isOwnNode(connection, world) || outcomes(connection, world, policies).ties.length > 0) return false;
  const nodes = [...world.nodes].flatMap(({ ips }) => ips);
  return (
    nodesInNetworks.matches === "yes" ||
    ![connection.from, connection.to].some((end) => nodes.includes(end.ip))
  );
}

/** Whether anything that a plugin may leave open has to do with the connection: protocols, ranges, and addresses of pods in networks. */
export function isMet({ protocol, port, from, to }: Connection, policies: readonly Policy[]): boolean {
  if (protocol !== "tcp" && protocol !== "udp") return true;
  const rules = policies.flatMap((policy) => [...policy.rules.ingress, ...policy.rules.egress]);
  const ranges = rules.flatMap(({ ports }) => ports ?? []).filter(({ kind }) => kind === "range");
  if (ranges.some((one) => one.kind === "range" && port > one.start && port <= one.end)) return true;
  const networks = rules.flatMap(({ peers }) =>
    peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr] : [])),
  );
  return [from, to].some((end) => end.pod !== null && networks.some((cidr) => contains(cidr, end.ip)));
}
