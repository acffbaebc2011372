// The meaning of the IR, case by case from the text of the policy APIs. The upstream conformance suite does not notice
// most of these faults. Not covered: NetworkPolicy's policyTypes, which the IR cannot express, and a pod that connects to itself, which `judge` does not accept.

import { describe, expect, test } from "@jest/globals";
import type { HostNameFact, NamedPort, NodeFact, PodFact, Protocol } from "../model/facts.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import type { IpAddress } from "../model/ip.ts";
import { hostNamesLike } from "../model/selectors/host-names.ts";
import { namespacesNamed, podsRunningAs } from "../model/selectable.ts";
import { everything, requirements } from "../model/selector.ts";
import type { Selector } from "../model/selector.ts";
import type { Connection, End } from "./evaluate.ts";
import { firstMatch, judge } from "./evaluate.ts";
import { policyKey, tiers } from "./ir.ts";
import type { Action, Peer, PodGroup, Policy, PortMatch, Rule, Tier } from "./ir.ts";

const labels = (table: Readonly<Record<string, string>>) => new Map(Object.entries(table));
const is = (key: string, value: string) => requirements([{ operator: "In", key, values: [value] }]);

function ip(text: string): IpAddress {
  const address = parseIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

function network(text: string, ...except: readonly string[]): Peer {
  const read = (one: string) => {
    const cidr = parseCidr(one);
    if (cidr === null) throw new Error(`not a network: ${one}`);
    return cidr;
  };
  return { kind: "network", cidr: read(text), except: except.map(read) };
}

function pod(namespace: string, name: string, last: number, more: Partial<PodFact> = {}): PodFact {
  return {
    ...{ kind: "Pod", namespace, name, labels: labels({ app: name }), node: "n", hostNetwork: false },
    ...{ serviceAccount: "default", completed: false, ips: [ip(`10.0.0.${last}`)], ports: [] },
    ...more,
  };
}

const namespaces = new Map(
  ["red", "blue"].map((name) => [
    name,
    { kind: "Namespace" as const, name, labels: labels({ tenant: name }) },
  ]),
);
const edge: NodeFact = {
  ...{ kind: "Node", name: "edge", labels: labels({ role: "edge" }) },
  ...{ ips: [ip("172.18.0.2"), ip("192.0.2.2")], podFamilies: [] },
};
const core: NodeFact = { ...edge, name: "core", labels: labels({}), ips: [ip("172.18.0.3")] };
const names: readonly HostNameFact[] = [
  { kind: "HostName", name: "www.example.org", ips: [ip("198.51.100.1"), ip("10.0.0.3")] },
  { kind: "HostName", name: "example.org", ips: [ip("198.51.100.2")] },
];
const world = { namespaces, nodes: [edge, core], hostNames: names };

const redA = pod("red", "a", 1);
const redB = pod("red", "b", 2);
const http: NamedPort = { name: "http", protocol: "tcp", port: 8080 };
const blueA = pod("blue", "a", 3, { ports: [http, { ...http, protocol: "udp", port: 9090 }] });
const onHost = pod("red", "host", 0, { hostNetwork: true, ips: [ip("172.18.0.2")] });

const group = (namespaceLabels: Selector = everything, pods: Selector = everything): PodGroup => ({
  ...{ kind: "pods", namespaces: namespaceLabels, pods },
});
const red = group(is("tenant", "red"));
const blue = group(is("tenant", "blue"));
const all = group();
const anywhere: Peer = { kind: "everything" };

interface RuleText {
  readonly peers?: readonly Peer[];
  readonly ports?: readonly PortMatch[];
  readonly subject?: PodGroup;
}

const rule = (action: Action, { peers = [all], ports, subject }: RuleText = {}): Omit<Rule, "index"> => ({
  ...{ name: "", action, peers, ports: ports ?? null, subject: subject ? [subject] : null },
  ...{ share: null, logging: null },
});

interface PolicyText extends Partial<Pick<Policy, "tier" | "priority">> {
  readonly subject?: PodGroup;
  /** In place of `subject`. */
  readonly subjects?: readonly PodGroup[];
  readonly ingress?: readonly Omit<Rule, "index">[];
  readonly egress?: readonly Omit<Rule, "index">[];
  readonly isolates?: "ingress" | "egress";
}

function policy(name: string, text: PolicyText): Policy {
  const ref = { group: "example.com", kind: "Policy", namespace: null, name };
  const numbered = (rules: readonly Omit<Rule, "index">[] = []) =>
    rules.map((one, index) => ({ ...one, index }));
  const after = (direction: "ingress" | "egress") => (text.isolates === direction ? "deny" : "next");
  return {
    ...{ key: policyKey(ref), ref, ownerType: "Policy", shortKind: "P", tier: text.tier ?? tiers.admin },
    ...{ priority: text.priority ?? 10, subject: text.subjects ?? [text.subject ?? all] },
    rules: { ingress: numbered(text.ingress), egress: numbered(text.egress) },
    unmatched: { ingress: after("ingress"), egress: after("egress") },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

const at = (place: PodFact | string): End =>
  typeof place === "string"
    ? { ip: ip(place), pod: null }
    : { ip: place.ips[0] ?? ip("10.9.9.9"), pod: place };

function connection(
  from: PodFact | string,
  to: PodFact | string,
  protocol: Protocol | "icmp" = "tcp",
  port = 80,
): Connection {
  return { from: at(from), to: at(to), protocol, port };
}

const verdict = (one: Connection, ...policies: readonly Policy[]) => judge(one, world, policies).verdict;
const decider = (one: Connection, ...policies: readonly Policy[]) => {
  const { egress, ingress } = judge(one, world, policies);
  const by = egress.by ?? ingress.by;
  return by === null ? null : `${by.policy.ref.name} ${by.direction} ${by.rule?.index ?? "unmatched"}`;
};

const denyBaseline = policy("baseline", {
  tier: tiers.baseline,
  ingress: [rule("deny")],
  egress: [rule("deny")],
});

describe("tiers and actions", () => {
  const toBlue = connection(redA, blueA);
  const under = (action: Action) => policy("admin", { subject: blue, ingress: [rule(action)] });
  const isolated = policy("np", { tier: tiers.namespaced, subject: blue, isolates: "ingress" });
  const ingressBaseline = policy("baseline", { tier: tiers.baseline, ingress: [rule("deny")] });

  test.each<readonly [string, readonly Policy[], "allow" | "deny", string | null]>([
    ["nobody speaks", [], "allow", null],
    [
      "an allow is final: a NetworkPolicy that denies is not heard",
      [under("allow"), isolated],
      "allow",
      "admin ingress 0",
    ],
    [
      "an allow is final: the baseline is not heard",
      [under("allow"), ingressBaseline],
      "allow",
      "admin ingress 0",
    ],
    [
      "a pass goes to the NetworkPolicy",
      [under("pass"), isolated, ingressBaseline],
      "deny",
      "np ingress unmatched",
    ],
    ["a pass goes to the baseline", [under("pass"), ingressBaseline], "deny", "baseline ingress 0"],
    ["a pass with nobody behind it lets pass", [under("pass")], "allow", null],
    ["a deny is final", [under("deny")], "deny", "admin ingress 0"],
    ["a reject denies", [under("reject")], "deny", "admin ingress 0"],
  ])("%s", (_, policies, expected, by) => {
    expect(verdict(toBlue, ...policies)).toBe(expected);
    expect(decider(toBlue, ...policies)).toBe(by);
    expect(verdict(toBlue, ...policies.toReversed())).toBe(expected);
  });

  test("a pass skips the rest of its tier, policies behind it included", () => {
    const passing = policy("first", { priority: 0, ingress: [rule("pass"), rule("deny")] });
    expect(verdict(toBlue, passing, policy("second", { priority: 1, ingress: [rule("deny")] }))).toBe(
      "allow",
    );
  });

  test("a pass in the baseline ends in the default allow", () => {
    const passing = policy("first", { tier: tiers.baseline, priority: 0, ingress: [rule("pass")] });
    expect(verdict(toBlue, passing, ingressBaseline)).toBe("allow");
  });

  test("the first rule that matches decides, and the lower number before the higher", () => {
    const both = policy("p", { priority: 5, ingress: [rule("allow"), rule("deny")] });
    expect(verdict(toBlue, both)).toBe("allow");
    expect(verdict(toBlue, both, policy("q", { priority: 4, ingress: [rule("deny")] }))).toBe("deny");
    expect(verdict(toBlue, both, policy("q", { priority: 6, ingress: [rule("deny")] }))).toBe("allow");
    expect(verdict(toBlue, both, policy("q", { priority: 0, ingress: [rule("pass")] }))).toBe("allow");
  });

  test("equal priorities without overlap are both heard; what each would say alone can be asked", () => {
    const ofA = policy("p", { ingress: [rule("deny", { peers: [group(everything, is("app", "a"))] })] });
    const ofB = policy("q", { ingress: [rule("allow", { peers: [group(everything, is("app", "b"))] })] });
    expect(verdict(connection(redA, blueA), ofA, ofB, denyBaseline)).toBe("deny");
    expect(decider(connection(redB, blueA), ofA, ofB)).toBe("q ingress 0");
    expect(firstMatch(ofA, "ingress", connection(redB, blueA), world)).toBeNull();
    expect(firstMatch(ofB, "ingress", connection(redB, blueA), world)?.action).toBe("allow");
  });

  test("the steps tell the passes and who decided", () => {
    const { ingress } = judge(toBlue, world, [ingressBaseline, under("pass")]);
    expect(ingress.steps.map((step) => [step.policy.ref.name, step.rule?.action])).toEqual([
      ["admin", "pass"],
      ["baseline", "deny"],
    ]);
    expect(ingress.by).toBe(ingress.steps[1]);
  });
});

describe("two sides", () => {
  test("an egress allow does not skip the destination's ingress rules", () => {
    const policies = [policy("out", { egress: [rule("allow")] }), policy("in", { ingress: [rule("deny")] })];
    expect(verdict(connection(redA, blueA), ...policies)).toBe("deny");
  });

  test("an ingress allow does not skip the source's egress rules", () => {
    const policies = [policy("out", { egress: [rule("deny")] }), policy("in", { ingress: [rule("allow")] })];
    expect(verdict(connection(redA, blueA), ...policies)).toBe("deny");
  });

  test("an ingress-only policy does not isolate egress, nor does it isolate ingress", () => {
    const ingressOnly = policy("in", { subject: red, ingress: [rule("allow", { peers: [blue] })] });
    expect(verdict(connection(redA, blueA), ingressOnly)).toBe("allow");
    expect(verdict(connection(redB, redA), ingressOnly)).toBe("allow");
    const isolating = policy("np", { tier: tiers.namespaced, subject: red, isolates: "ingress" });
    expect(verdict(connection(redA, blueA), isolating)).toBe("allow");
    expect(verdict(connection(blueA, redA), isolating)).toBe("deny");
  });

  test("a policy without rules says nothing", () => {
    expect(decider(connection(redA, blueA), policy("empty", {}))).toBeNull();
  });

  test("a NetworkPolicy's denial does not go on to a baseline that allows", () => {
    const isolating = policy("np", { tier: tiers.namespaced, subject: blue, isolates: "ingress" });
    const allowing = policy("baseline", { tier: tiers.baseline, ingress: [rule("allow")] });
    expect(decider(connection(redA, blueA), isolating, allowing)).toBe("np ingress unmatched");
  });

  test("an address outside has no ingress side, and no egress side as a source", () => {
    const both = policy("p", { ingress: [rule("deny", { peers: [{ kind: "everything" }] })] });
    expect(verdict(connection(redA, "198.51.100.1"), both)).toBe("allow");
    expect(verdict(connection("198.51.100.1", redA), both)).toBe("deny");
  });
});

describe("who is selected", () => {
  const denyTo = (...peers: readonly Peer[]) => policy("p", { egress: [rule("deny", { peers })] });

  test("pods by their own labels, not by their namespace's alone", () => {
    const toA = denyTo(group(is("tenant", "red"), is("app", "a")));
    expect(verdict(connection(blueA, redA), toA)).toBe("deny");
    expect(verdict(connection(blueA, redB), toA)).toBe("allow");
    expect(verdict(connection(redB, blueA), toA)).toBe("allow");
  });

  test.each([
    ["In", requirements([{ operator: "In", key: "app", values: ["a", "c"] }]), ["a"]],
    ["NotIn", requirements([{ operator: "NotIn", key: "app", values: ["a"] }]), ["b", "bare"]],
    ["Exists", requirements([{ operator: "Exists", key: "app" }]), ["a", "b"]],
    ["DoesNotExist", requirements([{ operator: "DoesNotExist", key: "app" }]), ["bare"]],
  ])("matchExpressions: %s", (_, selector, denied) => {
    const targets = [redA, redB, pod("red", "bare", 4, { labels: labels({}) })];
    const found = targets.filter(
      (to) => verdict(connection(blueA, to), denyTo(group(everything, selector))) === "deny",
    );
    expect(found.map(({ name }) => name)).toEqual(denied);
  });

  test.each([
    ["host-network", onHost],
    ["completed", pod("red", "done", 5, { completed: true })],
    ["unscheduled", pod("red", "waiting", 6, { node: null })],
    ["of an unknown namespace", pod("green", "lost", 7)],
  ])("a pod that is %s is neither subject nor peer", (_, hidden) => {
    const asPeer = denyTo(all);
    const asSubject = policy("p", { ingress: [rule("deny")], egress: [rule("deny")] });
    expect(verdict(connection(redA, hidden), asPeer)).toBe("allow");
    expect(decider(connection(hidden, "198.51.100.1"), asSubject)).toBeNull();
    expect(judge(connection(redA, hidden), world, [asSubject]).ingress.by).toBeNull();
  });

  test("a nodes peer is its labels' nodes, by every address of theirs, host-network pods included", () => {
    const toEdge = denyTo({ kind: "nodes", nodes: is("role", "edge") });
    expect(verdict(connection(redA, "172.18.0.2"), toEdge)).toBe("deny");
    expect(verdict(connection(redA, "192.0.2.2"), toEdge)).toBe("deny");
    expect(verdict(connection(redA, onHost), toEdge)).toBe("deny");
    expect(verdict(connection(redA, "172.18.0.3"), toEdge)).toBe("allow");
    expect(verdict(connection(redA, "172.18.0.3"), denyTo({ kind: "nodes", nodes: everything }))).toBe(
      "deny",
    );
  });

  test("a peer of host names is every address that DNS answered for them, a pod's too, and none that it did not", () => {
    const like = (pattern: string): Peer => ({
      kind: "hostNames",
      names: hostNamesLike(pattern) ?? everything,
    });
    const toSites = denyTo(like("*.example.org"));
    expect(verdict(connection(redA, "198.51.100.1"), toSites)).toBe("deny");
    expect(verdict(connection(redA, blueA), toSites)).toBe("deny");
    expect(verdict(connection(redA, "198.51.100.2"), toSites)).toBe("allow");
    expect(verdict(connection(redA, "198.51.100.2"), denyTo(like("Example.org.")))).toBe("deny");
    expect(verdict(connection(redA, "198.51.100.3"), denyTo(like("*")))).toBe("allow");
    const nothingRecorded = { namespaces, nodes: [edge, core], hostNames: [] };
    const away = connection(redA, "198.51.100.1");
    expect(judge(away, nothingRecorded, [toSites].flat()).verdict).toBe("allow");
  });

  test("a networks peer covers nodes, pods and icmp; its exceptions do not", () => {
    const denied = denyTo(network("172.18.0.0/16"), network("10.0.0.0/8", "10.0.0.2/32"));
    expect(verdict(connection(redA, "172.18.0.3"), denied)).toBe("deny");
    expect(verdict(connection(redA, blueA, "icmp"), denied)).toBe("deny");
    expect(verdict(connection(redA, redB), denied)).toBe("allow");
    expect(verdict(connection(redA, "fd00::1"), denyTo(network("0.0.0.0/0")))).toBe("allow");
  });

  test("pods by their service account, and namespaces by name, whatever their labels", () => {
    const robot = pod("red", "robot", 8, { serviceAccount: "robot" });
    const toRobots = denyTo(group(everything, podsRunningAs(["robot", "other"])));
    expect(verdict(connection(blueA, robot), toRobots)).toBe("deny");
    expect(verdict(connection(blueA, redA), toRobots)).toBe("allow");
    const labelled = pod("red", "liar", 9, { labels: labels({ serviceAccount: "robot" }) });
    expect(verdict(connection(blueA, labelled), toRobots)).toBe("allow");
    const toRed = denyTo(group(namespacesNamed(["red"])));
    expect(verdict(connection(blueA, robot), toRed)).toBe("deny");
    expect(verdict(connection(redA, blueA), toRed)).toBe("allow");
  });

  test("the pods of any group of a subject, each once, and of no group nobody", () => {
    const twice = policy("p", { subjects: [red, group(everything, is("app", "a"))], egress: [rule("deny")] });
    expect(decider(connection(redA, blueA), twice)).toBe("p egress 0");
    expect(decider(connection(redB, blueA), twice)).toBe("p egress 0");
    expect(decider(connection(blueA, redA), twice)).toBe("p egress 0");
    expect(decider(connection(pod("blue", "b", 10), redA), twice)).toBeNull();
    const none = policy("p", { subjects: [], egress: [rule("deny")], isolates: "ingress" });
    expect(decider(connection(redA, redB), none)).toBeNull();
    // A pod in both groups is isolated once, by the policy.
    const isolating = policy("p", { subjects: [red, all], isolates: "egress" });
    expect(decider(connection(redA, blueA), isolating)).toBe("p egress unmatched");
  });

  test("a rule with a subject of its own applies to that one and not to the policy's", () => {
    const own = policy("p", { subject: blue, egress: [rule("deny", { subject: red })] });
    expect(verdict(connection(redA, blueA), own)).toBe("deny");
    expect(verdict(connection(blueA, redA), own)).toBe("allow");
  });
});

describe("the subject's own namespaces", () => {
  const namespace = (name: string, table: Readonly<Record<string, string>>) =>
    [name, { kind: "Namespace" as const, name, labels: labels(table) }] as const;
  const here = {
    ...{ nodes: [], hostNames: [] },
    namespaces: new Map([
      namespace("one", { tenant: "t", zone: "z" }),
      namespace("two", { tenant: "t", zone: "y" }),
      namespace("three", { tenant: "u", zone: "z" }),
      namespace("bare", {}),
      namespace("empty", { tenant: "" }),
      namespace("void", { tenant: "" }),
    ]),
  };
  const a = (name: string, last: number, more: Partial<PodFact> = {}) => pod(name, "a", last, more);
  const [one, two, three, bare, nothing] = [
    a("one", 1),
    a("two", 2),
    a("three", 3),
    a("bare", 4),
    a("empty", 5),
  ];
  const same = (keys: readonly string[], pods: Selector = everything): Peer => ({
    ...{ kind: "sameNamespaces", keys, pods },
  });
  const denied = (from: PodFact | string, to: PodFact | string, peer: Peer) => {
    const outward = judge(connection(from, to), here, [
      policy("p", { egress: [rule("deny", { peers: [peer] })] }),
    ]);
    const inward = judge(connection(to, from), here, [
      policy("p", { ingress: [rule("deny", { peers: [peer] })] }),
    ]);
    expect(inward.verdict).toBe(outward.verdict);
    return outward.verdict === "deny";
  };

  test.each<readonly [string, PodFact | string, PodFact | string, Peer, boolean]>([
    ["without keys: itself", one, a("one", 9), same([]), true],
    ["without keys: no other, whatever its labels", one, two, same([]), false],
    ["without keys: one without labels too", bare, a("bare", 9), same([]), true],
    ["the same value", one, two, same(["tenant"]), true],
    ["another value", one, three, same(["tenant"]), false],
    ["its own namespace", one, a("one", 9), same(["tenant"]), true],
    ["several keys: all values are the same", one, a("one", 9), same(["tenant", "zone"]), true],
    ["several keys: one value is another", one, two, same(["tenant", "zone"]), false],
    [
      "a key that the subject's namespace lacks: not even itself",
      bare,
      a("bare", 9),
      same(["tenant"]),
      false,
    ],
    ["a key that both lack", bare, one, same(["nobody"]), false],
    ["a key that the peer's namespace lacks", one, bare, same(["tenant"]), false],
    ["one of several keys is missing", nothing, a("void", 9), same(["tenant", "zone"]), false],
    ["an empty value is a value", nothing, a("void", 9), same(["tenant"]), true],
    ["pods of it that are selected", one, two, same(["tenant"], is("app", "a")), true],
    ["pods of it that are not", one, two, same(["tenant"], is("app", "b")), false],
    ["pods of it by service account", one, two, same(["tenant"], podsRunningAs(["default"])), true],
    ["a pod on its node's network", one, a("one", 9, { hostNetwork: true }), same([]), false],
    ["a pod of a namespace that is not known", one, a("lost", 9), same([]), false],
    ["an address that is no pod's", one, "198.51.100.1", same([]), false],
  ])("%s", (_, from, to, peer, expected) => {
    expect(denied(from, to, peer)).toBe(expected);
  });

  test("of a rule's own subject, not of the policy's", () => {
    const own = policy("p", { subject: blue, egress: [rule("deny", { subject: all, peers: [same([])] })] });
    expect(judge(connection(one, a("one", 9)), here, [own]).verdict).toBe("deny");
  });
});

describe("ports", () => {
  const only = (...ports: readonly PortMatch[]) => policy("p", { ingress: [rule("deny", { ports })] });
  const range = { kind: "range", protocol: "tcp", start: 8000, end: 8010 } as const;

  test.each<readonly [string, PortMatch, Protocol | "icmp", number, "allow" | "deny"]>([
    ["the number", { kind: "port", protocol: "tcp", port: 80 }, "tcp", 80, "deny"],
    ["another number", { kind: "port", protocol: "tcp", port: 80 }, "tcp", 81, "allow"],
    ["the number of another protocol", { kind: "port", protocol: "tcp", port: 80 }, "udp", 80, "allow"],
    ["the number of sctp", { kind: "port", protocol: "sctp", port: 80 }, "sctp", 80, "deny"],
    ["below a range", range, "tcp", 7999, "allow"],
    ["a range's start", range, "tcp", 8000, "deny"],
    ["a range's end", range, "tcp", 8010, "deny"],
    ["above a range", range, "tcp", 8011, "allow"],
    ["a range of another protocol", range, "sctp", 8005, "allow"],
    ["a range turned round", { ...range, start: 90, end: 70 }, "tcp", 80, "allow"],
    ["a name", { kind: "named", name: "http" }, "tcp", 8080, "deny"],
    ["the same name on another number and protocol", { kind: "named", name: "http" }, "udp", 9090, "deny"],
    ["a name's number with the other's protocol", { kind: "named", name: "http" }, "udp", 8080, "allow"],
    ["a name's number in a third protocol", { kind: "named", name: "http" }, "sctp", 8080, "allow"],
    ["a name that nobody declares", { kind: "named", name: "dns" }, "tcp", 8080, "allow"],
    ["icmp has no ports", { ...range, start: 1, end: 65535 }, "icmp", 0, "allow"],
  ])("%s", (_, match, protocol, port, expected) => {
    expect(verdict(connection(redA, blueA, protocol, port), only(match))).toBe(expected);
  });

  const http80: PortMatch = { kind: "port", protocol: "tcp", port: 80 };
  const source = { start: 1000, end: 1999 };
  const icmp = (more: Partial<Extract<PortMatch, { kind: "icmp" }>> = {}): PortMatch => ({
    ...{ kind: "icmp", family: null, type: null, code: null },
    ...more,
  });

  test.each<readonly [string, PortMatch, number | undefined, "allow" | "deny"]>([
    ["the first of a range", { ...http80, source }, 1000, "deny"],
    ["the last of a range", { ...http80, source }, 1999, "deny"],
    ["one below", { ...http80, source }, 999, "allow"],
    ["one above", { ...http80, source }, 2000, "allow"],
    ["one that is not named", { ...http80, source }, undefined, "allow"],
    ["any, where the rule names none", http80, undefined, "deny"],
    ["a range's", { kind: "range", protocol: "tcp", start: 80, end: 90, source }, 1500, "deny"],
    ["a range's, outside", { kind: "range", protocol: "tcp", start: 80, end: 90, source }, 500, "allow"],
    ["a range turned round", { ...http80, source: { start: 2, end: 1 } }, 1, "allow"],
    ["the right one, but another destination", { ...http80, port: 81, source }, 1500, "allow"],
  ])("a source port: %s", (_, match, sourcePort, expected) => {
    const one = connection(redA, blueA);
    expect(verdict(sourcePort === undefined ? one : { ...one, sourcePort }, only(match))).toBe(expected);
  });

  test("a name can ask for a source port and for one of the protocols that the pod declares it with", () => {
    const tcp = { ...connection(redA, blueA, "tcp", 8080), sourcePort: 1500 };
    const udp = { ...connection(redA, blueA, "udp", 9090), sourcePort: 500 };
    expect(verdict(tcp, only({ kind: "named", name: "http", source }))).toBe("deny");
    expect(verdict(udp, only({ kind: "named", name: "http", source }))).toBe("allow");
    expect(verdict(tcp, only({ kind: "named", name: "http", protocol: "tcp" }))).toBe("deny");
    expect(verdict(udp, only({ kind: "named", name: "http", protocol: "tcp" }))).toBe("allow");
    expect(verdict(udp, only({ kind: "named", name: "http", protocol: "udp" }))).toBe("deny");
    expect(verdict(tcp, only({ kind: "named", name: "http", protocol: "sctp" }))).toBe("allow");
  });

  test.each<readonly [string, number, Connection["protocol"], PodFact | string, "allow" | "deny"]>([
    ["tcp by its number, every port", 6, "tcp", blueA, "deny"],
    ["udp's number", 17, "tcp", blueA, "allow"],
    ["sctp by its number", 132, "sctp", blueA, "deny"],
    ["a protocol without a name", 47, 47, blueA, "deny"],
    ["another without a name", 47, 50, blueA, "allow"],
    ["icmp by its number", 1, "icmp", blueA, "deny"],
    ["icmp's number on IPv6", 1, "icmp", "fd00::1", "allow"],
    ["icmp of IPv6 by its number", 58, "icmp", "fd00::1", "deny"],
    ["number 0", 0, 0, blueA, "deny"],
  ])("a protocol number: %s", (_, number, protocol, to, expected) => {
    const outward = policy("p", {
      egress: [rule("deny", { peers: [anywhere], ports: [{ kind: "protocol", number }] })],
    });
    expect(verdict({ ...connection(redA, to), protocol }, outward)).toBe(expected);
  });

  const v6 = "fd00::1";
  const ping = { type: 8, code: 0 };
  const unreachable = { type: 3, code: 4 };
  test.each<readonly [string, PortMatch, Partial<Connection>, PodFact | string, "allow" | "deny"]>([
    ["either family, on IPv4", icmp(), {}, blueA, "deny"],
    ["either family, on IPv6", icmp(), {}, v6, "deny"],
    ["IPv4 alone, on IPv4", icmp({ family: "v4" }), {}, blueA, "deny"],
    ["IPv4 alone, on IPv6", icmp({ family: "v4" }), {}, v6, "allow"],
    ["IPv6 alone, on IPv4", icmp({ family: "v6" }), {}, blueA, "allow"],
    ["IPv6 alone, on IPv6", icmp({ family: "v6" }), {}, v6, "deny"],
    ["a type", icmp({ type: 8 }), { icmp: ping }, blueA, "deny"],
    ["another type", icmp({ type: 0 }), { icmp: ping }, blueA, "allow"],
    ["a type and any code", icmp({ type: 3 }), { icmp: unreachable }, blueA, "deny"],
    ["a type and its code", icmp({ type: 3, code: 4 }), { icmp: unreachable }, blueA, "deny"],
    ["a type and another code", icmp({ type: 3, code: 1 }), { icmp: unreachable }, blueA, "allow"],
    ["a code of 0 is one", icmp({ type: 3, code: 0 }), { icmp: unreachable }, blueA, "allow"],
    ["either family by one type: an echo request of IPv4", icmp({ type: 8 }), {}, blueA, "deny"],
    ["either family by one type: the request of IPv6 has another", icmp({ type: 8 }), {}, v6, "allow"],
    ["either family by one type: IPv6's own", icmp({ type: 128 }), {}, v6, "deny"],
    ["by number", icmp(), { protocol: 1 }, blueA, "deny"],
    ["by the other family's number, which is no ICMP there", icmp(), { protocol: 58 }, blueA, "allow"],
    ["by the other family's number, the other way round", icmp(), { protocol: 1 }, v6, "allow"],
    ["tcp", icmp(), { protocol: "tcp" }, blueA, "allow"],
  ])("icmp: %s", (_, match, packet, to, expected) => {
    const outward = policy("p", { egress: [rule("deny", { peers: [anywhere], ports: [match] })] });
    expect(verdict({ ...connection(redA, to, "icmp"), ...packet }, outward)).toBe(expected);
  });

  test("no ports match everything, icmp too; an empty list nothing; several any of them", () => {
    const without = policy("p", { ingress: [rule("deny")] });
    expect(verdict(connection(redA, blueA, "icmp"), without)).toBe("deny");
    expect(verdict(connection(redA, blueA, "sctp", 1), without)).toBe("deny");
    expect(verdict(connection(redA, blueA), only())).toBe("allow");
    expect(verdict(connection(redA, blueA), only(range, { kind: "port", protocol: "tcp", port: 80 }))).toBe(
      "deny",
    );
  });

  test("a name is the destination's, in both directions: the source's counts for nothing", () => {
    const named: RuleText = { ports: [{ kind: "named", name: "http" }] };
    const inward = policy("p", { ingress: [rule("deny", named)] });
    const outward = policy("p", { egress: [rule("deny", named)] });
    for (const one of [inward, outward]) {
      expect(verdict(connection(redA, blueA, "tcp", 8080), one)).toBe("deny");
      expect(verdict(connection(blueA, redA, "tcp", 8080), one)).toBe("allow");
    }
  });

  test("a name is not looked up on a pod whose namespace is unknown, whatever the peers are", () => {
    const named = policy("p", {
      egress: [rule("deny", { peers: [anywhere], ports: [{ kind: "named", name: "http" }] })],
    });
    const stray = pod("unheard-of", "a", 4, { ports: [http] });
    expect(verdict(connection(redA, blueA, "tcp", 8080), named)).toBe("deny");
    expect(verdict(connection(redA, stray, "tcp", 8080), named)).toBe("allow");
  });
});

describe("a load balancer", () => {
  const through: Connection = { ...connection(redA, blueA), translated: true };
  const only = (action: Action) => ({ ...rule(action), translated: true as const });

  test("a rule about its connections matches no other, whatever its action", () => {
    for (const action of ["deny", "reject"] as const) {
      const denying = policy("p", { egress: [only(action)] });
      expect([verdict(through, denying), verdict(connection(redA, blueA), denying)]).toEqual([
        "deny",
        "allow",
      ]);
    }
    for (const action of ["allow", "pass"] as const) {
      const sparing = policy("p", { egress: [only(action), rule("deny")] });
      expect([verdict(through, sparing), verdict(connection(redA, blueA), sparing)]).toEqual([
        "allow",
        "deny",
      ]);
    }
  });

  test("the other rules match its connections as they do all others: at the endpoint, on both sides", () => {
    const ports: readonly PortMatch[] = [{ kind: "port", protocol: "tcp", port: 80 }];
    for (const one of [through, connection(redA, blueA)]) {
      expect(verdict(one, policy("p", { egress: [rule("deny", { peers: [blue], ports })] }))).toBe("deny");
      expect(verdict(one, policy("p", { ingress: [rule("deny", { peers: [red], ports })] }))).toBe("deny");
    }
  });
});

describe("failing closed, as dialects write it", () => {
  const tier: Tier = tiers.admin;

  test("an allow without peers matches nothing", () => {
    const closed = policy("p", { tier, ingress: [rule("allow", { peers: [] })] });
    expect(verdict(connection(redA, blueA), closed, denyBaseline)).toBe("deny");
    expect(decider(connection(redA, blueA), closed)).toBeNull();
  });

  test("a deny of everything denies every address of every family and protocol, outside too", () => {
    const closed = policy("p", { tier, egress: [rule("deny", { peers: [{ kind: "everything" }] })] });
    for (const to of [blueA, onHost, "198.51.100.1", "2001:db8::1"]) {
      expect(verdict(connection(redA, to, "icmp"), closed)).toBe("deny");
    }
  });
});
