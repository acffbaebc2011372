// Renders IR to desired rows: the contents of a policy's own unit. What depends on the policy alone is rendered once;
// what depends on members (ports, addresses, named ports) stays a description, which content.ts fills from the
// membership.

import { sameSequence } from "../../lib/sequence.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Direction, Policy, PolicyHead, Rule } from "../../policy/ir.ts";
import { directions, isSameKey } from "../../policy/ir.ts";
import { factsOf } from "../../policy/rule-list.ts";
import type { AclPlace } from "../ranking/places.ts";
import type { AclFrame, DesiredAcl } from "./acl.ts";
import { defaultDenyAcl, desiredAcl, movedAcl, severityOf } from "./acl.ts";
import { sameAcl } from "./compare.ts";
import type { RowForm } from "./form.ts";
import { rowForm } from "./form.ts";
import { isolationOf } from "./isolation.ts";
import { conjunction, subjectTerm, translatedTerm } from "./match.ts";
import { renderNamedPorts } from "./named-port-rule.ts";
import type { PeerPart, PeerRows } from "./peers.ts";
import { renderPeers } from "./peers.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { SharedUnit } from "./shared-unit.ts";
import { policyGroup, ruleGroup } from "./subject-groups.ts";
import { trafficTerms } from "./traffic.ts";
import type { DesiredPortGroup, UnitKey, UnitPart, UnitRows } from "./unit.ts";
import { unitOfPolicy } from "./unit.ts";

/** The rows of one rule. */
export interface RuleRows extends UnitPart {
  readonly direction: Direction;
  readonly rule: Rule;
  readonly place: AclPlace;
  readonly portGroup: string;
  /** The port group of a rule that has its own subject. Rules with one share and one subject have the same object. */
  readonly ownGroup: DesiredPortGroup | null;
  readonly peers: PeerRows;
}

export interface PolicyRows extends UnitRows {
  /** The port group of the policy's subject; first among the unit's port groups. */
  readonly portGroup: DesiredPortGroup;
  /** By direction, index and share of the rule; ingress first. */
  readonly rules: ReadonlyMap<string, RuleRows>;
  /** The parts of the rules, then the default denies. */
  readonly parts: ReadonlyMap<string, UnitPart>;
  /** The units that must be written before the policy's own, each once. */
  readonly shared: ReadonlyMap<UnitKey, SharedUnit>;
}

/** A policy and its rows. */
export interface RenderedPolicy {
  readonly policy: Policy;
  readonly rows: PolicyRows;
}

/**
 * `before`: the policy as last rendered in the same mode. Rows of a rule that would come out the same are reused as the
 * same objects, provided that the rule itself is the same object.
 */
export function renderPolicy(
  policy: Policy,
  options: RenderOptions,
  before: RenderedPolicy | null = null,
): PolicyRows {
  const { families } = options;
  const kept = before?.rows.families === families && before.policy.key === policy.key ? before : null;
  const portGroup = kept?.policy.subject === policy.subject ? kept.rows.portGroup : policyGroup(policy);
  const known = new Map(kept?.rows.portGroups.map((group) => [group.name, group]));
  const rules = renderRules({ policy, options, portGroup, known, before: kept });
  const own = [...rules.values()].flatMap(({ ownGroup }) => ownGroup ?? []);
  const portGroups = [...new Set([portGroup, ...own])];
  const isolation = isolationUnitOf(policy, options);
  const shared = sharedUnitsOf(policy, rules, isolation, options);
  const defaults = isolation === null ? [...defaultDenies(policy, portGroup, options, kept)] : [];
  const parts = defaults.length === 0 ? rules : new Map<string, UnitPart>([...rules, ...defaults]);
  return { unit: unitOfPolicy(policy.key), families, portGroup, portGroups, rules, parts, shared };
}

/** Where nothing but some rules is another than before, the other rules are not looked at. */
function renderRules(context: PolicyContext): Map<string, RuleRows> {
  const { policy, before } = context;
  const edited = before !== null && differsInRulesAlone(before, context) ? before : null;
  const rules = new Map(edited?.rows.rules);
  for (const direction of directions) {
    const earlier = edited?.policy.rules[direction] ?? [];
    for (const [at, rule] of policy.rules[direction].entries()) {
      if (rule === earlier[at]) continue;
      const key = partKey(direction, rule);
      invariant(edited !== null || !rules.has(key), "two rules have one direction, index and share");
      rules.set(key, renderRule(rule, before?.rows.rules.get(key) ?? null, { ...context, direction }));
    }
  }
  return rules;
}

/** Whether the rules have the keys and the places that they had, and rows of a rule depend on nothing else that differs. */
function differsInRulesAlone(
  { policy: was, rows }: RenderedPolicy,
  { policy, options, portGroup }: PolicyContext,
): boolean {
  if (portGroup !== rows.portGroup) return false;
  if (policy.logging !== was.logging || !isOfOneSort(policy, was)) return false;
  // Others that take turns with it decide where its rules stand, each on its own.
  if (policy.interleaved === true) return false;
  return directions.every((direction) => {
    const [rules, earlier] = [policy.rules[direction], was.rules[direction]];
    // The places of a policy's rules are a run: the first and the last say all of a list in order.
    if (!sameKeys(rules, earlier) || !factsOf(rules).isAscending) return false;
    return [rules[0], rules.at(-1)].every((rule) => {
      const old = rule && rows.rules.get(partKey(direction, rule));
      return old === undefined || samePlace(old.place, options.places.place(policy.key, old.rule));
    });
  });
}

/** Whether both policies' allow rules follow connections alike. */
function isOfOneSort(policy: PolicyHead, other: PolicyHead): boolean {
  return policy.stateless === other.stateless && policy.persistent === other.persistent;
}

function sameKeys(rules: readonly Rule[], others: readonly Rule[]): boolean {
  if (rules === others) return true;
  if (rules.length !== others.length) return false;
  return rules.every((rule, at) => isSameKey(rule, others[at]));
}

/** Where a namespace's default denies are one unit, every policy of the namespace uses it; null: they are the policy's own. */
function isolationUnitOf(policy: Policy, options: RenderOptions): SharedUnit | null {
  const { namespace } = policy.ref;
  return rowForm(policy, options) === "networkPolicy" && namespace !== null ? isolationOf(namespace) : null;
}

const noUnits: ReadonlyMap<UnitKey, SharedUnit> = new Map();

function sharedUnitsOf(
  policy: Policy,
  rules: ReadonlyMap<string, RuleRows>,
  isolation: SharedUnit | null,
  options: RenderOptions,
): ReadonlyMap<UnitKey, SharedUnit> {
  if (rowForm(policy, options) === "setARule") return noUnits;
  const sets = [...rules.values()].flatMap(({ peers }) => peers.shared);
  return new Map([...sets, ...(isolation === null ? [] : [isolation])].map((one) => [one.unit, one]));
}

function partKey(direction: Direction, { index, share }: Rule): string {
  return share === null ? `${direction} ${index}` : `${direction} ${index} ${share}`;
}

/** The default denies of the directions in which the policy denies what no rule matches. */
function* defaultDenies(
  policy: Policy,
  portGroup: DesiredPortGroup,
  { places }: RenderOptions,
  before: RenderedPolicy | null,
): Generator<readonly [string, UnitPart]> {
  for (const direction of directions) {
    if (policy.unmatched[direction] === "next") continue;
    const key = `${direction} default`;
    const acl = defaultDenyAcl(
      policy,
      direction,
      places.end(policy.key),
      subjectTerm(direction, portGroup.name),
    );
    const old = before?.rows.parts.get(key);
    const isSame = old?.acls[0] !== undefined && sameAcl(old.acls[0], acl);
    yield [key, isSame ? old : { portGroup: portGroup.name, addressSets: [], acls: [acl], namedPorts: null }];
  }
}

interface PolicyContext {
  readonly policy: Policy;
  readonly options: RenderOptions;
  readonly portGroup: DesiredPortGroup;
  /** By name, those of the earlier rendering and those that rules with a share have so far. */
  readonly known: Map<string, DesiredPortGroup>;
  readonly before: RenderedPolicy | null;
}

interface RuleContext extends PolicyContext {
  readonly direction: Direction;
}

function samePlace(a: AclPlace, b: AclPlace): boolean {
  return a.tier === b.tier && a.priority === b.priority;
}

/** `old`: the earlier rows of the rule with the same direction, index and share. */
function renderRule(rule: Rule, old: RuleRows | null, context: RuleContext): RuleRows {
  const { policy, options, direction, before } = context;
  const place = options.places.place(policy.key, rule);
  if (before !== null && old?.rule === rule) return keptRule(old, place, before, context);
  const peers =
    old?.rule.peers === rule.peers ? old.peers : renderPeers({ policy, direction, rule }, options);
  const ownGroup = old?.rule.subject === rule.subject ? old.ownGroup : ruleGroup(rule, context);
  const { name: portGroup } = ownGroup ?? context.portGroup;
  const rows = { direction, rule, place, portGroup, ownGroup, peers, addressSets: peers.addressSets };
  if (peers.term === null) return { ...rows, acls: [], namedPorts: null };
  const through = rule.translated === true ? translatedTerm : null;
  const terms = { subject: conjunction([subjectTerm(direction, portGroup), through]), peers: peers.term };
  const frame = { policy, direction, rule, place };
  return {
    ...rows,
    acls: renderAcls(frame, terms.subject, peers.parts, rowForm(policy, options)),
    namedPorts: renderNamedPorts(frame, ownGroup ?? context.portGroup, terms, options),
  };
}

/** Reuses the rows of an unchanged rule; the policy's head, place or subject may have changed. */
function keptRule(
  old: RuleRows,
  place: AclPlace,
  before: RenderedPolicy,
  { policy, portGroup, direction }: RuleContext,
): RuleRows {
  const { rule, acls, namedPorts } = old;
  const isInPlace =
    samePlace(old.place, place) &&
    isOfOneSort(before.policy, policy) &&
    severityOf(before.policy, rule) === severityOf(policy, rule);
  const { subjects } = portGroup;
  const isOfSubject =
    namedPorts !== null &&
    direction === "ingress" &&
    rule.subject === null &&
    !sameSequence(before.rows.portGroup.subjects, subjects);
  if (isInPlace && !isOfSubject) return old;
  const frame = { policy, direction, rule, place };
  return {
    ...old,
    place,
    acls: isInPlace ? acls : acls.map((acl) => movedAcl(acl, frame)),
    namedPorts: namedPorts && {
      ...namedPorts,
      ...frame,
      destinations: isOfSubject ? subjects : namedPorts.destinations,
    },
  };
}

function renderAcls(
  frame: AclFrame,
  subject: string,
  parts: readonly PeerPart[],
  form: RowForm,
): readonly DesiredAcl[] {
  const { ports } = frame.rule;
  const traffic = ports === null ? [{ protocol: "None", term: null } as const] : trafficTerms(ports);
  return traffic.flatMap(({ protocol, term }) =>
    parts.map((part) => {
      const { term: peers } = part;
      const terms = form === "networkPolicy" ? [peers, term, subject] : [subject, peers, term];
      return desiredAcl(frame, protocol, conjunction(terms), part);
    }),
  );
}
