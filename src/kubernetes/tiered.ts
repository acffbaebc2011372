// What the cluster-wide kinds share: nearly everything. A subject, a place in a tier, and an ordered list of rules for
// each direction; each kind is described by its few differences. Any error rejects the whole object; a pure function
// that never throws on user input.

import type { Compiled, Dialect, PolicyKindTraits } from "../policy/contracts/dialect.ts";
import { kindInHead } from "../policy/contracts/dialect.ts";
import { policyKey, tiers } from "../policy/ir.ts";
import type { Policy, Rule, Subject, Tier } from "../policy/ir.ts";
import { peerTerms } from "../policy/normal-form.ts";
import type { PolicyObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { fieldOf } from "./fields.ts";
import { readLogging } from "./logging.ts";
import { readSubject } from "./peers.ts";
import { ReadMemo } from "./read-memo.ts";
import type { RuleTraits } from "./rules.ts";
import { RuleReader } from "./rules.ts";
import { warnOfOthers } from "./shape.ts";

/** A tier, and a priority in the numbers of the IR. */
export interface PolicyPlace {
  readonly tier: Tier;
  readonly priority: number;
}

export interface TieredTraits {
  readonly kind: PolicyKindTraits;
  /** Reports a name that the kind does not allow. */
  readonly checkName: (name: Field) => void;
  /** Fields of the spec that say the policy's place. */
  readonly placeFields: readonly string[];
  readonly readPlace: (spec: Field) => PolicyPlace | null;
  readonly rules: RuleTraits;
}

/** A dialect of one cluster-wide kind. */
export function tieredDialect(traits: TieredTraits): Dialect {
  const reader: SpecReader = { rules: new RuleReader(traits.rules), subjects: new ReadMemo() };
  const own = {
    tier: traits.placeFields.includes("tier") ? "spec.tier" : "spec",
    ports: traits.rules.ports.field,
  };
  return {
    kinds: [traits.kind],
    references: [],
    fieldOf: (part) => fieldOf(part, own),
    compile: (object) => compile(object, traits, reader),
  };
}

/** What was read before is the same object. */
interface SpecReader {
  readonly rules: RuleReader;
  readonly subjects: ReadMemo<Subject>;
}

function compile(object: PolicyObject, traits: TieredTraits, reader: SpecReader): Compiled {
  const { kind } = traits;
  const problems = new Problems();
  traits.checkName(new Field(problems, "metadata.name", object.name));
  const { place, subject, ingress, egress } = readSpec(
    new Field(problems, "spec", object.spec),
    traits,
    reader,
  );
  const logging = readLogging(object, problems);
  if (place === null) return { policy: null, problems: problems.list() };
  const ref = { group: kind.group, kind: kind.kind, namespace: null, name: object.name };
  const outline: Policy = {
    key: policyKey(ref),
    ref,
    ...kindInHead(kind),
    tier: place.tier,
    priority: place.priority,
    subject: subject ?? [],
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging,
  };
  if (subject === null || ingress === null || egress === null || problems.failed)
    return { policy: null, problems: problems.list(), outline };
  warnOfBaseline(place, egress, new Field(problems, "spec", object.spec));
  return { policy: { ...outline, rules: { ingress, egress } }, problems: problems.list() };
}

/** The type takes names of domains in both tiers; the proposal, npep-133, is about the Admin tier alone. */
function warnOfBaseline({ tier }: PolicyPlace, egress: readonly Rule[], spec: Field): void {
  const hasNames = egress.some((rule) => peerTerms(rule).some(({ anyOf }) => anyOf.hostNames.length > 0));
  if (tier.name !== tiers.baseline.name || !hasNames) return;
  spec
    .at("tier")
    .warn(
      "domainNames are proposed for the Admin tier: a NetworkPolicy that overrides this cannot name them",
    );
}

interface Spec {
  readonly place: PolicyPlace | null;
  readonly subject: Subject | null;
  readonly ingress: readonly Rule[] | null;
  readonly egress: readonly Rule[] | null;
}

const nothing: Spec = { place: null, subject: null, ingress: null, egress: null };

function readSpec(spec: Field, traits: TieredTraits, { rules, subjects }: SpecReader): Spec {
  if (!spec.object()) return nothing;
  warnOfOthers(spec, ["subject", "ingress", "egress", ...traits.placeFields]);
  const place = traits.readPlace(spec);
  return {
    place,
    subject: subjects.read(spec.at("subject"), 0, (field) => {
      const subject = readSubject(field, traits.rules.peers);
      return subject && [subject];
    }),
    ingress: rules.read(spec.at("ingress"), "ingress"),
    egress: rules.read(spec.at("egress"), "egress"),
  };
}
