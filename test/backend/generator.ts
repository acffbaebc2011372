// Random IR policies, for every backend alike; the worlds for them are in generator-world.ts.
//
// `anyPolicy` has every value that the types of policy/ir.ts allow after the partition: all actions, tiers and kinds of
// peers and ports, unions, rule subjects, shares, exceptions, default denies and logging. No `sameNamespaces` peer, which no
// backend sees. Nothing promises that a backend can say it: ask `admit` first. `plainPolicy` has what every backend
// has said from the beginning, and is admitted everywhere. `mixedPolicy` stands between the two.

import fc from "fast-check";
import { hostNamesLike } from "../../src/model/selectors/host-names.ts";
import { namespacesNamed, podsRunningAs } from "../../src/model/selectable.ts";
import { allOf, anyOf, negated, requirements } from "../../src/model/selector.ts";
import type { Selector } from "../../src/model/selector.ts";
import type {
  Action,
  Addresses,
  Direction,
  Logging,
  LogSeverity,
  EndPorts,
  Peer,
  PodGroup,
  Policy,
  PortList,
  PortMatch,
  PortRange,
  Rule,
} from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import { namespaceNames } from "./generator-world.ts";
import { contractPolicy } from "./policies.ts";
import { labelKeys, labelValues, networks, portNames, portNumbers, protocols } from "./vocabulary.ts";

const severities: readonly LogSeverity[] = ["alert", "warning", "notice", "info", "debug"];

// Groups

const requirement = fc.oneof(
  fc.record({
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    key: fc.constantFrom(...labelKeys),
    values: fc.subarray([...labelValues]),
  }),
  fc.record({
    operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
    key: fc.constantFrom(...labelKeys),
  }),
  fc.record({
    operator: fc.constantFrom("Contains" as const, "StartsWith" as const, "EndsWith" as const),
    key: fc.constantFrom(...labelKeys),
    text: fc.constantFrom("", ...labelValues),
  }),
);

const { selector: labelSelector } = fc.letrec<{ selector: Selector; list: Selector[] }>((tie) => ({
  selector: fc.oneof(
    { maxDepth: 2 },
    { weight: 6, arbitrary: fc.array(requirement, { maxLength: 1 }).map(requirements) },
    { weight: 1, arbitrary: tie("list").map(allOf) },
    { weight: 1, arbitrary: tie("list").map(anyOf) },
    { weight: 1, arbitrary: tie("selector").map(negated) },
  ),
  list: fc.array(tie("selector"), { maxLength: 2 }),
}));

const mostlyLabels = (other: fc.Arbitrary<Selector>) =>
  fc.oneof({ weight: 5, arbitrary: labelSelector }, { weight: 1, arbitrary: other });

/** Namespaces by name and service accounts are selected too. */
export const podGroup: fc.Arbitrary<PodGroup> = fc.record({
  kind: fc.constant("pods"),
  namespaces: mostlyLabels(fc.subarray([...namespaceNames], { minLength: 1 }).map(namespacesNamed)),
  pods: mostlyLabels(fc.constantFrom("default", "robot").map((name) => podsRunningAs([name]))),
});

const nodeGroup: fc.Arbitrary<Peer> = fc.record({ kind: fc.constant("nodes"), nodes: labelSelector });
export const hostNamePatterns = ["a.example.org", "*.example.org", "*example.org", "a.*", "*"] as const;
const hostNameGroup: fc.Arbitrary<Peer> = fc.record({
  kind: fc.constant("hostNames"),
  names: fc.constantFrom(...hostNamePatterns.flatMap((one) => hostNamesLike(one) ?? [])),
});
const everythingPeer: fc.Arbitrary<Peer> = fc.constant({ kind: "everything" });

const networkPeer = (exceptions: number): fc.Arbitrary<Peer> =>
  fc.record({
    kind: fc.constant("network"),
    cidr: fc.constantFrom(...networks),
    except: fc.uniqueArray(fc.constantFrom(...networks), { maxLength: exceptions }),
  });

const addresses = (exceptions: number): fc.Arbitrary<Addresses> =>
  fc.record({
    networks: fc.uniqueArray(fc.constantFrom(...networks), { maxLength: 3 }),
    except: fc.uniqueArray(fc.constantFrom(...networks), { maxLength: exceptions }),
  });
const narrowedPeer: fc.Arbitrary<Peer> = fc
  .tuple(podGroup, addresses(2))
  .map(([pods, by]) => ({ kind: "narrowed", pods, ...by }));

/** Every peer after the partition. */
export const anyPeer: fc.Arbitrary<Peer> = fc.oneof(
  { weight: 5, arbitrary: podGroup },
  { weight: 2, arbitrary: narrowedPeer },
  { weight: 1, arbitrary: nodeGroup },
  { weight: 1, arbitrary: hostNameGroup },
  { weight: 2, arbitrary: networkPeer(2) },
  { weight: 1, arbitrary: everythingPeer },
);

// Ports

const range: fc.Arbitrary<PortRange> = fc
  .tuple(fc.constantFrom(...portNumbers), fc.constantFrom(...portNumbers))
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
const protocol = fc.constantFrom(...protocols);
const protocolNumber = fc.constantFrom(0, 1, 6, 17, 47, 58, 132, 255);
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { freq: 2 });

const icmpMatch: fc.Arbitrary<PortMatch> = fc.record({
  kind: fc.constant("icmp"),
  family: fc.constantFrom("v4", "v6", null),
  type: fc.constantFrom(0, 3, 8, 128, null, null),
  code: fc.constantFrom(0, 1, null, null),
});

const otherIcmp: fc.Arbitrary<PortMatch> = fc.record({
  kind: fc.constant("otherIcmp"),
  family: fc.constantFrom("v4", "v6"),
  type: fc.constantFrom(0, 3, 8, 128, 255),
  code: fc.constantFrom(0, 1, null),
});
const protocolList: fc.Arbitrary<PortMatch> = fc
  .subarray([0, 1, 6, 17, 47, 58, 132, 255])
  .map((numbers) => ({ kind: "protocols", numbers }));

const plainPort: fc.Arbitrary<Extract<PortMatch, { kind: "port" | "range" }>> = fc.oneof(
  fc.record({ kind: fc.constant("port"), protocol, port: fc.constantFrom(...portNumbers) }),
  fc.tuple(protocol, range).map(([given, ends]) => ({ kind: "range" as const, protocol: given, ...ends })),
);
const namedPort: fc.Arbitrary<PortMatch> = fc
  .constantFrom(...portNames, "nobodys")
  .map((name) => ({ kind: "named", name }));

const portList: fc.Arbitrary<PortList> = fc.record({
  ranges: fc.array(range, { maxLength: 2 }),
  names: fc.subarray([...portNames, "nobodys"]),
});
const endPorts: fc.Arbitrary<EndPorts> = fc
  .tuple(portList, portList)
  .map(([ports, except]) => ({ ...ports, except }));

/** Every kind of port, source ports and names of one protocol included. */
export const anyPort: fc.Arbitrary<PortMatch> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(plainPort, maybe(range))
      .map(([port, source]): PortMatch => (source === null ? port : { ...port, source })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...portNames, "nobodys"), maybe(protocol), maybe(range))
      .map(([name, given, source]): PortMatch => {
        const named = given === null ? { name } : { name, protocol: given };
        return source === null ? { kind: "named", ...named } : { kind: "named", ...named, source };
      }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("protocol"), number: protocolNumber }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant("declared"), protocol, from: maybe(endPorts), to: maybe(endPorts) },
    }),
  },
  { weight: 1, arbitrary: protocolList },
  { weight: 2, arbitrary: icmpMatch },
  { weight: 1, arbitrary: otherIcmp },
);

// Rules and policies

const severity = fc.option(fc.constantFrom(...severities), { freq: 2 });
const policyLogging: fc.Arbitrary<Logging> = fc.record({
  ...{ allow: severity, deny: severity, pass: severity, reject: severity },
});

type Content = Omit<Rule, "index">;

const ruleByAnyAddress: fc.Arbitrary<Content> = fc.record({
  name: fc.constantFrom("", "a-rule"),
  action: fc.constantFrom<Action>("allow", "deny", "pass", "reject"),
  share: fc.constantFrom(null, null, null, "x", '["a"]'),
  subject: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(podGroup, { maxLength: 2 }) },
  ),
  peers: fc.array(anyPeer, { maxLength: 3 }),
  ports: maybe(fc.array(anyPort, { maxLength: 3 })),
  logging: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ severity, label: fc.constantFrom(null, "a-label_1.2") }) },
  ),
});

/** Some are about some addresses of their subject alone. */
const anyRule: fc.Arbitrary<Content> = fc
  .tuple(
    ruleByAnyAddress,
    fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: addresses(2) }),
  )
  .map(([rule, own]) => (own === null ? rule : { ...rule, own }));

/** Some are about a load balancer's connections alone. */
const anyEgressRule: fc.Arbitrary<Content> = fc
  .tuple(anyRule, fc.constantFrom(false, false, false, false, true))
  .map(([rule, isThrough]) => (isThrough ? { ...rule, translated: true as const } : rule));

/** Without a name at a network's addresses: nobody has those pods matched whose ports it would be looked up in. */
const plainRule = (action: fc.Arbitrary<Action>, direction: Direction): fc.Arbitrary<Content> => {
  const rule = (peer: fc.Arbitrary<Peer>, port: fc.Arbitrary<PortMatch>): fc.Arbitrary<Content> =>
    fc.record({
      name: fc.constant(""),
      action,
      share: fc.constant(null),
      subject: fc.constant(null),
      peers: fc.array(peer, { minLength: 1, maxLength: 2 }),
      ports: maybe(fc.array(port, { minLength: 1, maxLength: 2 })),
      logging: fc.constant(null),
    });
  const ofPods = rule(podGroup, fc.oneof(plainPort, namedPort));
  return direction === "ingress"
    ? ofPods
    : fc.oneof(ofPods, rule(fc.oneof(podGroup, nodeGroup, networkPeer(0)), fc.oneof(plainPort, namedPort)));
};

/** By place; rules that differ in their share alone may stand at one place, and do now and then. */
function numbered(rules: readonly Content[]): readonly Rule[] {
  let index = 0;
  const taken = new Set<string>();
  return rules.map((rule) => {
    if (rule.share === null || taken.size === 0 || taken.has(rule.share) || taken.has("")) {
      if (taken.size > 0) index++;
      taken.clear();
    }
    taken.add(rule.share ?? "");
    return { ...rule, index };
  });
}

const anyRules = fc.array(anyRule, { maxLength: 3 }).map(numbered);
const anyEgressRules = fc.array(anyEgressRule, { maxLength: 3 }).map(numbered);
const unmatched = fc.constantFrom("next" as const, "next" as const, "deny" as const);

/** Tiers between and behind those that every cluster has, two of one order and one of an infinite one among them. */
export const generatedTiers = [
  tiers.admin,
  tiers.namespaced,
  tiers.baseline,
  { name: "early", order: 0 },
  { name: "early-too", order: 0 },
  { name: "between", order: 1.5 },
  { name: "late", order: 4 },
  { name: "last", order: Infinity },
] as const;

/** Every policy that the types allow after the partition. `name`s are the policy's identity. */
export function anyPolicy(name: fc.Arbitrary<string>): fc.Arbitrary<Policy> {
  return fc
    .record({
      name,
      namespace: fc.constantFrom(null, null, "x"),
      tier: fc.constantFrom(...generatedTiers, tiers.admin, tiers.namespaced, tiers.baseline),
      priority: fc.constantFrom(0, 1, 10, 99, 100, 1000, 1_000_000, Infinity, -Infinity),
      tie: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
      subject: fc.array(podGroup, { maxLength: 2 }),
      rules: fc.record({ ingress: anyRules, egress: anyEgressRules }),
      unmatched: fc.record({ ingress: unmatched, egress: unmatched }),
      logging: policyLogging,
      isStateless: fc.boolean(),
    })
    .map(({ isStateless, tie, ...text }) =>
      contractPolicy({
        ...text,
        ...(isStateless ? { stateless: true as const } : {}),
        ...(tie === undefined ? {} : { tie }),
      }),
    );
}

/** A policy that every backend admits: what AdminNetworkPolicies say. */
export function plainPolicy(name: fc.Arbitrary<string>): fc.Arbitrary<Policy> {
  const action = fc.constantFrom<Action>("allow", "deny", "pass");
  const rules = (direction: Direction) =>
    fc.array(plainRule(action, direction), { maxLength: 3 }).map(numbered);
  return fc
    .record({
      name,
      priority: fc.constantFrom(0, 1, 10, 99),
      subject: podGroup.map((group) => [group]),
      rules: fc.record({ ingress: rules("ingress"), egress: rules("egress") }),
      logging: policyLogging,
    })
    .map(contractPolicy);
}

/**
 * Half are plain but for one part, so that a backend that refuses much says some of every value all the same; the others
 * are any policies.
 */
export function mixedPolicy(name: fc.Arbitrary<string>): fc.Arbitrary<Policy> {
  const part = fc.constantFrom(
    "tier",
    "priority",
    "tie",
    "subject",
    "rules",
    "rules",
    "unmatched",
    "logging",
    "stateless",
  );
  const oneRule = fc
    .tuple(plainPolicy(name), anyRule)
    .map(([plain, rule]): Policy => ({ ...plain, rules: { ingress: numbered([rule]), egress: [] } }));
  const onePart = fc
    .tuple(plainPolicy(name), anyPolicy(name), part)
    .map(([plain, any, given]): Policy => ({ ...plain, [given]: any[given] }));
  return fc.oneof({ weight: 2, arbitrary: anyPolicy(name) }, oneRule, onePart);
}

/** Up to `most` policies of different names. */
export function policiesOf(
  policy: (name: fc.Arbitrary<string>) => fc.Arbitrary<Policy>,
  most = 4,
): fc.Arbitrary<readonly Policy[]> {
  const name = fc.constantFrom("one", "two", "three", "four", "five");
  return fc.uniqueArray(policy(name), { maxLength: most, selector: ({ ref }) => ref.name });
}
