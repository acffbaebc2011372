// Random policies of the three kinds whose rules name domains, beside those of all others: exact names and wildcards in rules that allow,
// before a rule that denies the rest. A few stand in rules of another action, which are closed. Every policy made here is accepted by
// its dialect.

import fc from "fast-check";
import { everyKind, installed } from "../../../src/dialects.ts";
import { parseCidr } from "../../../src/model/ip.ts";
import type { PolicyObject, WorldObject } from "../../../src/model/object.ts";
import { isNode } from "../../../src/model/object.ts";
import { namesFlag } from "../../../src/policy/contracts/names.ts";
import { podPeer, selector } from "../../scenarios/worlds.ts";
import { acnp, annp } from "../../support/antrea.ts";
import { kindFlags } from "../../support/dialects.ts";
import type { PolicySpec } from "../../support/policies.ts";
import { anp, cnp } from "../../support/policies.ts";
import { withAntrea } from "../antrea-policies.ts";
import type { ClusterOptions } from "../cluster.ts";
import { translated } from "../cluster-policies.ts";
import { meaningOf, usualWords } from "../judges.ts";
import { spaces } from "../pods.ts";
import { networks, portNumbers } from "../rules.ts";
import type { ProofWorld } from "../worlds.ts";
import { sorted, worldText } from "../worlds.ts";
import type { Answered } from "./answers.ts";
import { answers, destinations, exactNames, meantFacts, podNetworks } from "./answers.ts";
import { writtenOut } from "./written-out.ts";

/** All kinds, with names resolved. */
export const namesInstalled = installed({
  ...{ ...everyKind, ...kindFlags({ stateless: true }) },
  [namesFlag]: "dnstap",
});
export const namesDialects = namesInstalled.dialects;

/** Its controller learns the answers of the worlds itself. */
export const clusterOfNames: ClusterOptions = { installed: namesDialects, resolves: true };

const wildcards = [
  "*.example.org",
  "*.Example.org.",
  "*.b.example.org",
  "*.svc.cluster.local",
  "*.example.com",
];
const written = fc.oneof(fc.constantFrom(...exactNames), fc.constantFrom(...wildcards));
const domainNames = fc
  .uniqueArray(written, { minLength: 1, maxLength: 2 })
  .map((names) => ({ domainNames: names }));
/** The last two have no meaning as peers: their rules are closed. */
const texts = ["*.example.org", "*example.org", "www.*", "*", "a*.example.org", "*.b.*", "*le*rg"];
const fqdn = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom(...texts) },
    { weight: 1, arbitrary: fc.constantFrom(...exactNames.filter((name) => !name.endsWith("."))) },
  )
  .map((name) => ({ fqdn: name }));
const network = fc.constantFrom(...networks);
const everywhere = ["0.0.0.0/0", "::/0"];

const actions = fc.constantFrom(...new Array<"Allow">(9).fill("Allow"), "Deny", "Pass");
const peersWith = (peer: fc.Arbitrary<object>, other: fc.Arbitrary<object>) =>
  fc.tuple(peer, fc.option(other, { freq: 4 })).map(([one, more]) => (more === null ? [one] : [one, more]));
const ports = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.subarray([...portNumbers], { minLength: 1, maxLength: 2 }) },
);
const protocol = fc.constantFrom("TCP", "UDP", "SCTP");

const rule = fc
  .record({
    action: actions,
    to: peersWith(
      domainNames,
      network.map((one) => ({ networks: [one] })),
    ),
    ports,
    protocol,
  })
  .map(({ action, to, ports: numbers, protocol: of }) => ({
    ...{ action, to },
    ...(numbers === null ? {} : { ports: numbers.map((port) => ({ portNumber: { protocol: of, port } })) }),
  }));
const behind = fc.constantFrom("Deny", "Deny", "Deny", "Pass", null);
const subject = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ namespaces: {} }) },
  { weight: 1, arbitrary: podPeer.filter((peer) => !("galaxies" in peer)) },
);
const content: fc.Arbitrary<PolicySpec> = fc
  .record({ subject, rules: fc.array(rule, { minLength: 1, maxLength: 2 }), behind })
  .map(({ rules, behind: last, ...spec }) => ({
    ...spec,
    egress: [...rules, ...(last === null ? [] : [{ action: last, to: [{ networks: everywhere }] }])],
  }));

/** Between the priorities of the other policies. */
const priority = 5;
const ofAdmins = content.map((spec) => [anp("names", { ...spec, priority })]);
const ofClusters = fc
  .tuple(content, fc.constantFrom("Admin" as const, "Admin" as const, "Baseline" as const))
  .map(([spec, tier]) => [cnp("names", { tier, priority, ...translated(spec, false) })]);

const antreaRule = fc
  .record({
    action: actions,
    to: peersWith(
      fqdn,
      network.map((cidr) => ({ ipBlock: { cidr } })),
    ),
    ports,
    protocol,
  })
  .map(({ action, to, ports: numbers, protocol: of }) => ({
    ...{ action: action === "Deny" ? "Drop" : action, to },
    ...(numbers === null ? {} : { ports: numbers.map((port) => ({ protocol: of, port })) }),
  }));
const antreaBehind = fc.constantFrom("Drop", "Drop", "Reject", null);
const antreaSpec = fc
  .record({
    ...{
      tier: fc.constantFrom("", "emergency", "baseline"),
      rules: fc.array(antreaRule, { minLength: 1, maxLength: 2 }),
    },
    ...{ behind: antreaBehind, priority: fc.constantFrom(2, 5) },
  })
  .map(({ rules, behind: last, ...spec }) => {
    // A rule of the baseline tier may not pass.
    const own = rules.map((one) =>
      spec.tier === "baseline" && one.action === "Pass" ? { ...one, action: "Drop" } : one,
    );
    const blocks = everywhere.map((cidr) => ({ ipBlock: { cidr } }));
    const all = [...own, ...(last === null ? [] : [{ action: last, to: blocks }])];
    return { ...spec, egress: all.map((one, at) => ({ name: `to-${at}`, ...one })) };
  });
const ofAntrea = fc
  .tuple(antreaSpec, fc.constantFrom(null, null, ...spaces), selector)
  .map(([spec, space, podSelector]) => [
    space === null
      ? acnp("names", { ...spec, appliedTo: [{ podSelector }] })
      : annp("names", { ...spec, appliedTo: [{ podSelector }] }, space),
  ]);

/** One kind or several: what one denies, the others no longer meet. */
export const namesPolicies: fc.Arbitrary<readonly PolicyObject[]> = fc
  .tuple(ofAdmins, ofClusters, ofAntrea, fc.constantFrom([0], [1], [2], [0, 1, 2]))
  .map(([admins, clusters, antrea, kinds]) => kinds.flatMap((at) => [admins, clusters, antrea][at] ?? []));

/** A world whose names mean what DNS answered. `objects` has no answers as facts. */
export function worldOfNames(world: ProofWorld, answered: readonly Answered[]): ProofWorld {
  const own = world.objects.filter((one) => one.kind !== "HostName");
  const hearing = { networkPolicies: world.networkPolicies, installed: namesDialects };
  const made: ProofWorld = {
    ...world,
    objects: [...own, ...meantFacts(answered, sorted(own))],
    ...{ answers: answered, destinations },
    witness: {
      meaning: (zone) => meaningOf(writtenOut(own, answered), { ...hearing, zone }),
      words: usualWords,
    },
  };
  return Object.assign(made, { [fc.toStringMethod]: () => worldText(made) });
}

/** The same worlds, half of them with policies of Antrea's, with policies of names, and with answers. Their NetworkPolicies must be ours. */
export function withNames(worlds: fc.Arbitrary<ProofWorld>): fc.Arbitrary<ProofWorld> {
  return fc
    .tuple(fc.oneof(withAntrea(worlds), worlds), namesPolicies, answers, fc.boolean())
    .map(([world, named, answered, saysNetworks]) => {
      const own = saysNetworks ? world.objects.map(withPodNetworks) : world.objects;
      return worldOfNames({ ...world, objects: [...own, ...named] }, answered);
    });
}

function withPodNetworks(object: WorldObject): WorldObject {
  if (!isNode(object)) return object;
  return { ...object, podNetworks: podNetworks.flatMap((text) => parseCidr(text) ?? []) };
}
