// What cannot be judged here: rules of domain names, which are not resolved or were never answered, and policies that were refused or that cannot be
// read. Both become rules of which it is open whether they match. Refuses nothing.
// A rule of domain names is stricter in force than it is written: what the object says is open, whatever rows enforce.

import type { HostNameFact } from "../model/facts.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { isNamespace, isReferenced, keyOf, kindText, kindTextOf, splitKey } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { Field, Problems } from "../model/reader.ts";
import { hostNameLabels } from "../model/selectable.ts";
import { everything, selects } from "../model/selector.ts";
import type { OpenRule } from "./possible.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";
import { resolveAmong } from "../policy/contracts/resolve.ts";
import type { Action, HostNameGroup, Policy, PolicyKey, Rule, Subject } from "../policy/ir.ts";
import { peerTerms } from "../policy/normal-form.ts";

export interface Unknown extends OpenRule {
  readonly code: "DomainName" | "NotRead" | "Plugin";
  readonly policy: Policy;
  /** Whose match is open. */
  readonly rule: Rule;
  /** What the rule may do where it matches: as its object says it, and as it is in force. */
  readonly actions: readonly Action[];
  /** Of names: the rule has all that its object names, and only answers are missing. Absent: no. */
  readonly lacksAnswersOnly?: boolean;
  /** Of a network plugin that leaves it open: a sentence without a full stop. */
  readonly text?: string;
}

export interface Unknowns {
  readonly rules: ReadonlyMap<Rule, Unknown>;
  /** Policies that are not enforced, with rules of every action that may match anything. */
  readonly unread: readonly Policy[];
}

/** A policy object as the engine has understood it. */
export interface ReadRecord {
  readonly key: PolicyKey;
  readonly object: PolicyObject;
  /** Null: none is in force. */
  readonly policy: Policy | null;
  readonly problems: readonly Problem[];
  readonly rejected: boolean;
}

export type DialectOf = (key: PolicyKey) => Dialect | null;

/** `hostNames`: what DNS answered. */
export function unknownsOf(
  records: Iterable<ReadRecord>,
  objects: readonly WorldObject[],
  hostNames: Iterable<HostNameFact>,
  dialectOf: DialectOf,
): Unknowns {
  const rules = new Map<Rule, Unknown>();
  const unread: Policy[] = [];
  // Of refused policies alone, and it looks at every object.
  let resolve: Resolve | null = null;
  for (const record of records) {
    const dialect = dialectOf(record.key);
    if (dialect === null) continue;
    if (record.policy !== null)
      for (const [rule, lacksAnswersOnly] of unresolvedIn(record.policy, record.problems, hostNames, dialect))
        rules.set(rule, {
          ...{ code: "DomainName", policy: record.policy, rule, byPeers: false, lacksAnswersOnly },
          actions: [...new Set([rule.action, writtenAction(record, rule, dialect) ?? rule.action])],
        });
    if (!record.rejected) continue;
    resolve ??= resolving(objects);
    const policy = unreadPolicy(record, dialect, resolve);
    unread.push(policy);
    for (const rule of policy.rules.ingress)
      rules.set(rule, { code: "NotRead", policy, rule, actions: [rule.action], byPeers: false });
  }
  return { rules, unread };
}

/** What a network plugin leaves open, beside what was not read. */
export function withOpenAnswers(
  { rules, unread }: Unknowns,
  answers: readonly Omit<Unknown, "code" | "byPeers">[],
): Unknowns {
  const open = answers.map((one) => [one.rule, { ...one, code: "Plugin", byPeers: true }] as const);
  return { rules: new Map<Rule, Unknown>([...rules, ...open]), unread };
}

const domainField = /\.((domainNames|domains)(\[\d+\])?|fqdn)$/;

/** Whether the field is one of a peer that names domains. */
export function isDomainField(field: string): boolean {
  return domainField.test(field);
}

/** Egress rules of which nobody knows where their names lead, and whether they have all of these names. */
function unresolvedIn(
  policy: Policy,
  problems: readonly Problem[],
  hostNames: Iterable<HostNameFact>,
  dialect: Dialect,
): ReadonlyMap<Rule, boolean> {
  const answered = [...hostNames].map(hostNameLabels);
  const isOpen = ({ names }: HostNameGroup) => !answered.some((labels) => selects(names, labels));
  const unanswered = policy.rules.egress.filter((rule) =>
    peerTerms(rule).some(({ anyOf }) => anyOf.hostNames.some(isOpen)),
  );
  return new Map([
    ...unanswered.map((rule) => [rule, true] as const),
    ...namingDomains(policy, problems, dialect).map((rule) => [rule, false] as const),
  ]);
}

/** Egress rules that name domains, as the dialect reports by their fields. */
function namingDomains({ rules }: Policy, problems: readonly Problem[], dialect: Dialect): readonly Rule[] {
  const fields = problems.map(({ field }) => field).filter(isDomainField);
  if (fields.length === 0) return [];
  return rules.egress.filter(({ index }) => {
    const field = dialect.fieldOf({ kind: "rule", direction: "egress", index, field: "rule" });
    return fields.some((one) => one.startsWith(`${field}.`));
  });
}

/** Null: its object does not say it as others of its kind do. */
function writtenAction({ key, object }: ReadRecord, { index }: Rule, { kinds }: Dialect): Action | null {
  const item = new Field(new Problems(), "spec", object.spec).at("egress").items()[index];
  const word = item?.at("action").raw;
  const actions = kinds.find((kind) => kindText(kind) === kindTextOf(key))?.actions ?? [];
  return actions.find(([one]) => one === word)?.[1] ?? null;
}

const whatever: readonly Action[] = ["allow", "deny", "pass"];

/** As much as could be read of it: its subject and its place; otherwise everything, before everything. */
function unreadPolicy({ key, object }: ReadRecord, dialect: Dialect, resolve: Resolve): Policy {
  const { policy, outline = null } = dialect.compile(object, resolve, () => null);
  const known = policy ?? outline;
  const rules = whatever.map((action, index): Rule => ({
    ...{ index, action, name: "", share: null, subject: null, ports: null, logging: null },
    peers: [{ kind: "everything" }],
  }));
  const silent = { allow: null, deny: null, pass: null, reject: null };
  return {
    ...{ key, ref: splitKey(key), ownerType: "", shortKind: "", logging: silent },
    tier: known?.tier ?? { name: "?", order: Number.NEGATIVE_INFINITY },
    priority: known?.priority ?? 0,
    ...(known?.tie === undefined ? {} : { tie: known.tie }),
    subject: policy?.subject ?? readSubject(outline),
    rules: { ingress: rules, egress: rules },
    unmatched: { ingress: "next", egress: "next" },
  };
}

/** An outline without subjects is of an object whose subject could not be read. */
function readSubject(outline: Policy | null): Subject {
  const { subject = [] } = outline ?? {};
  return subject.length > 0 ? subject : [{ kind: "pods", namespaces: everything, pods: everything }];
}

function resolving(objects: readonly WorldObject[]): Resolve {
  return resolveAmong(
    new Map(objects.filter(isReferenced).map((object) => [keyOf(object), object])),
    new Map(objects.filter(isNamespace).map((fact) => [fact.name, fact])),
  );
}
