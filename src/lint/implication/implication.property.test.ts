// What selectors, peers and ports are said to imply is held against every thing of a small universe, and against the judge's
// own matching: an implication that is claimed has no counterexample; of lists of requirements every true one is claimed.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip, namespace, pod } from "../../../test/support/facts.ts";
import { irRule, network } from "../../../test/support/ir.ts";
import { familyOf } from "../../model/ip.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import { allOf, anyOf, negated, requirements, selects } from "../../model/selector.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Addresses, EndPorts, Peer, PortMatch, Rule } from "../../policy/ir.ts";
import { matches } from "../../policy/matching.ts";
import { noPorts } from "../../policy/normal-form.ts";
import { areCovered, canMeet, networkImplies, portImplies, selectorImplies } from "./implication.ts";
import { canMeetOwn, canMeetPeers, canMeetPorts } from "./meeting.ts";
import { TrafficCuts } from "../../verdicts/traffic.ts";
import { holdTogether } from "./together.ts";

const keys = ["a", "b"] as const;
const values = ["x", "y", "z"] as const;

const texts = ["x", "y", "xy"] as const;

/** Beginnings, middles and ends from the texts: some value of them meets whatever texts can be met together. */
const long = ["", ...texts].flatMap((start) =>
  ["", "x", "y", "x-y", "xy"].flatMap((middle) =>
    ["", ...texts].map((end) => [start, middle, end].join("-")),
  ),
);

/** Every map of the keys to the values, or to ones that no selector names. */
const universe: readonly ReadonlyMap<string, string>[] = [undefined, ...values, ...long].flatMap((a) =>
  [undefined, ...values, "other"].map(
    (b) =>
      new Map([
        ...(a === undefined ? [] : [["a", a] as const]),
        ...(b === undefined ? [] : [["b", b] as const]),
      ]),
  ),
);

const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    key: fc.constantFrom(...keys),
    values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }),
  }),
  fc.record({
    operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
    key: fc.constantFrom(...keys),
  }),
  fc.record({
    operator: fc.constantFrom("Contains" as const, "StartsWith" as const, "EndsWith" as const),
    key: fc.constant("a"),
    text: fc.constantFrom(...texts),
  }),
);
const lists = fc.array(requirement, { maxLength: 3 }).map(requirements);
const trees: fc.Arbitrary<Selector> = fc.oneof(
  lists,
  lists.map(negated),
  fc.array(lists, { minLength: 1, maxLength: 2 }).map(allOf),
  fc.array(lists, { minLength: 1, maxLength: 2 }).map(anyOf),
);
const holds = (narrow: Selector, wide: Selector): boolean =>
  universe.every((labels) => !selects(narrow, labels) || selects(wide, labels));

test("of lists of requirements, exactly what holds is implied, and what can meet is known", () => {
  const seen = { implied: 0, apart: 0 };
  fc.assert(
    fc.property(lists, lists, (narrow, wide) => {
      expect(selectorImplies(narrow, wide)).toBe(holds(narrow, wide));
      const meet = universe.some((labels) => selects(narrow, labels) && selects(wide, labels));
      expect(canMeet(narrow, wide)).toBe(meet);
      if (holds(narrow, wide)) seen.implied += 1;
      if (!meet) seen.apart += 1;
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(seen.implied, seen.apart)).toBeGreaterThan(100);
});

test("of other selectors, what is implied holds, and what is said to be apart is", () => {
  let implied = 0;
  fc.assert(
    fc.property(trees, trees, (narrow, wide) => {
      if (selectorImplies(narrow, wide)) {
        implied += 1;
        expect(holds(narrow, wide)).toBe(true);
      }
      if (!canMeet(narrow, wide))
        expect(universe.some((labels) => selects(narrow, labels) && selects(wide, labels))).toBe(false);
    }),
    { numRuns: 3000 },
  );
  expect(implied).toBeGreaterThan(100);
});

const source = fc.constantFrom({}, { source: { start: 10, end: 20 } }, { source: { start: 12, end: 30 } });
const protocol = fc.constantFrom("tcp" as const, "udp" as const);
const small = fc.integer({ min: 1, max: 6 });
const ports: fc.Arbitrary<PortMatch> = fc.oneof(
  fc
    .tuple(protocol, small, source)
    .map(([p, port, more]): PortMatch => ({ kind: "port", protocol: p, port, ...more })),
  fc
    .tuple(protocol, small, small, source)
    .map(([p, start, end, more]): PortMatch => ({ kind: "range", protocol: p, start, end, ...more })),
  fc.tuple(fc.option(protocol), source).map(([p, more]): PortMatch => ({
    kind: "named",
    name: "web",
    ...(p === null ? {} : { protocol: p }),
    ...more,
  })),
  fc.constantFrom(1, 6, 17, 58, 47).map((number): PortMatch => ({ kind: "protocol", number })),
  fc
    .tuple(
      fc.constantFrom(null, "v4" as const, "v6" as const),
      fc.constantFrom(null, 8),
      fc.constantFrom(null, 0),
    )
    .map(([family, type, code]): PortMatch => ({ kind: "icmp", family, type, code })),
  fc
    .tuple(fc.constantFrom("v4" as const, "v6" as const), fc.constantFrom(8, 9), fc.constantFrom(null, 0, 1))
    .map(([family, type, code]): PortMatch => ({ kind: "otherIcmp", family, type, code })),
  fc.subarray([1, 6, 17, 47]).map((numbers): PortMatch => ({ kind: "protocols", numbers })),
  fc.record({
    kind: fc.constant("declared"),
    protocol: fc.constantFrom("tcp", "udp"),
    from: fc.constantFrom<EndPorts | null>(null, null, { ranges: [], names: ["web"], except: noPorts }),
    to: fc.constantFrom<EndPorts | null>(
      null,
      { ranges: [{ start: 2, end: 4 }], names: [], except: { ranges: [], names: ["web"] } },
      { ranges: [], names: ["web"], except: { ranges: [{ start: 3, end: 3 }], names: [] } },
    ),
  }),
);

test("of ports, what is implied holds for all traffic of both families, whatever is declared", () => {
  let implied = 0;
  const declared = [
    { name: "web", protocol: "tcp", port: 3 },
    { name: "web", protocol: "udp", port: 4 },
  ] as const;
  const ends = { from: declared, to: declared };
  fc.assert(
    fc.property(ports, ports, (narrow, wide) => {
      if (!portImplies(narrow, wide)) return;
      implied += 1;
      const cuts = new TrafficCuts([narrow, wide], declared);
      for (const family of ["v4", "v6"] as const)
        expect(cuts.of({ ports: [narrow] }, family, ends) & ~cuts.of({ ports: [wide] }, family, ends)).toBe(
          0n,
        );
    }),
    { numRuns: 3000 },
  );
  expect(implied).toBeGreaterThan(100);
  expect(portImplies(null, { kind: "protocol", number: 6 })).toBe(false);
});

test("of ports that cannot meet, none has traffic of the other", () => {
  let apart = 0;
  fc.assert(
    fc.property(ports, ports, (one, other) => {
      if (canMeetPorts([one], [other])) return;
      apart += 1;
      const cuts = new TrafficCuts([one, other], []);
      const none = { from: [], to: [] };
      for (const family of ["v4", "v6"] as const)
        expect(cuts.of({ ports: [one] }, family, none) & cuts.of({ ports: [other] }, family, none)).toBe(0n);
    }),
    { numRuns: 3000 },
  );
  expect(apart).toBeGreaterThan(100);
});

/** Networks of which some hold others, and halves of one. */
const networks = ["10.0.0.0/30", "10.0.0.0/31", "10.0.0.2/31", "10.0.0.1/32", "fd00::/127"].map(network);
const addresses: fc.Arbitrary<Addresses> = fc.record({
  networks: fc.subarray(networks, { minLength: 1 }),
  except: fc.subarray(networks, { maxLength: 1 }),
});
const groups = lists.map((pods) => ({ kind: "pods", namespaces: requirements([]), pods }) as const);
const narrowed: fc.Arbitrary<Peer> = fc
  .tuple(groups, addresses)
  .map(([pods, by]) => ({ kind: "narrowed", pods, ...by }));
const others: fc.Arbitrary<Peer> = fc
  .tuple(fc.array(groups, { maxLength: 2 }), addresses)
  .map(([some, by]) => ({ kind: "others", pods: some, ...by }));
const peers: fc.Arbitrary<Peer> = fc.oneof(
  narrowed,
  others,
  groups,
  addresses.map(({ networks: [cidr = network("10.0.0.0/30")], except }): Peer => ({
    ...{ kind: "network", cidr, except },
  })),
);
const places = ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.4", "fd00::1", "fd00::2"].map(ip);
const pods = universe
  .filter((_, at) => at % 3 === 0)
  .map((labels, at) => pod("a", `p${at}`, { labels: Object.fromEntries(labels), ips: places }));
const world = { nodes: [], hostNames: [], namespaces: new Map([["a", namespace("a")]]) };
const subjects = places.map((at): End => ({ ip: at, pod: pods[0] ?? null }));

/** Which of the pods' addresses, and of the same addresses without a pod, such a rule takes; `own`: at which subjects. */
function taken(text: Pick<Rule, "peers" | "own">): ReadonlySet<string> {
  const ends = [...pods, null].flatMap((one) => places.map((at): End => ({ ip: at, pod: one })));
  const rule = irRule(0, text);
  return new Set(
    ends.flatMap((from) =>
      subjects
        .filter((to) => familyOf(to.ip) === familyOf(from.ip))
        .filter((to) => matches(rule, "ingress", { from, to, protocol: "tcp", port: 80 }, world))
        .map((to) => `${from.pod?.name ?? ""} ${from.ip} ${to.ip}`),
    ),
  );
}

test("of narrowed pods and own addresses, what is implied holds, and what is apart has nothing in common", () => {
  const seen = { covered: 0, apart: 0 };
  const rules = fc.record({
    peers: fc.array(peers, { minLength: 1, maxLength: 2 }),
    own: fc.option(addresses),
  });
  const texts = rules.map(({ own, ...text }): Pick<Rule, "peers" | "own"> =>
    own === null ? text : { ...text, own },
  );
  fc.assert(
    fc.property(texts, texts, (narrow, wide) => {
      if (areCovered(irRule(0, narrow), [irRule(1, wide)])) {
        seen.covered += 1;
        expect(taken(narrow).isSubsetOf(taken(wide))).toBe(true);
      }
      if (!canMeetPeers(narrow.peers, wide.peers) || !canMeetOwn(narrow.own, wide.own)) {
        seen.apart += 1;
        expect(taken(narrow).isDisjointFrom(taken(wide))).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
  expect(Math.min(seen.covered, seen.apart)).toBeGreaterThan(5);
});

test("of networks, exceptions are left out", () => {
  const peer = (cidr: string, ...except: string[]) =>
    ({ kind: "network", cidr: network(cidr), except: except.map(network) }) as const;
  const wide = peer("10.0.0.0/8", "10.1.0.0/16");
  expect(networkImplies(peer("10.2.0.0/16"), wide)).toBe(true);
  expect(networkImplies(peer("10.1.2.0/24"), wide)).toBe(false);
  expect(networkImplies(peer("10.0.0.0/8", "10.0.0.0/9"), wide)).toBe(true);
  expect(networkImplies(peer("10.0.0.0/8", "10.1.2.0/24"), wide)).toBe(false);
  expect(networkImplies(peer("fd00::/8"), wide)).toBe(false);
});

test("of networks, several that together hold one are enough, exceptions of all of them counted", () => {
  const peer = (cidr: string, ...except: string[]) =>
    ({ kind: "network", cidr: network(cidr), except: except.map(network) }) as const;
  const halves = [peer("10.0.0.0/9"), peer("10.128.0.0/9")];
  expect(holdTogether(peer("10.0.0.0/8"), halves)).toBe(true);
  expect(holdTogether(peer("10.0.0.0/8"), halves.slice(1))).toBe(false);
  expect(holdTogether(peer("10.0.0.0/8", "10.0.0.0/9"), halves.slice(1))).toBe(true);
  expect(holdTogether(peer("10.0.0.0/8"), [peer("0.0.0.0/0", "10.5.0.0/16"), peer("10.5.0.0/17")])).toBe(
    false,
  );
  expect(holdTogether(peer("10.0.0.0/8"), [peer("0.0.0.0/0", "10.5.0.0/16"), peer("10.5.0.0/16")])).toBe(
    true,
  );
  expect(holdTogether(peer("fd00::/8"), [peer("0.0.0.0/0")])).toBe(false);
  expect(holdTogether(peer("0.0.0.0/0"), [peer("::/0")])).toBe(false);
});
