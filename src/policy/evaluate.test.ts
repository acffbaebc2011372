// The meaning of the IR, case by case from the text of the policy APIs. Most cases are faults that the upstream conformance
// suite does not notice. Not here: NetworkPolicy's policyTypes and the domainNames peer, which the IR has no word for
// before their dialects do, and a pod that speaks to itself, which is no connection for `judge`.

import { describe, expect, test } from "@jest/globals";
import type { NamedPort, NodeFact, PodFact, Protocol } from "../model/facts.ts";
import { parseCidr, parseIp } from "../model/ip.ts";
import type { IpAddress } from "../model/ip.ts";
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
const world = { namespaces, nodes: [edge, core] };

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
    ...{ priority: text.priority ?? 10, subject: [text.subject ?? all] },
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

  test("a networks peer covers nodes, pods and icmp; its exceptions do not", () => {
    const denied = denyTo(network("172.18.0.0/16"), network("10.0.0.0/8", "10.0.0.2/32"));
    expect(verdict(connection(redA, "172.18.0.3"), denied)).toBe("deny");
    expect(verdict(connection(redA, blueA, "icmp"), denied)).toBe("deny");
    expect(verdict(connection(redA, redB), denied)).toBe("allow");
    expect(verdict(connection(redA, "fd00::1"), denyTo(network("0.0.0.0/0")))).toBe("allow");
  });

  test("a rule with a subject of its own applies to that one and not to the policy's", () => {
    const own = policy("p", { subject: blue, egress: [rule("deny", { subject: red })] });
    expect(verdict(connection(redA, blueA), own)).toBe("deny");
    expect(verdict(connection(blueA, redA), own)).toBe("allow");
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
