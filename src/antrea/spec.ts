// A policy's spec → its place, its subject and its rules. `appliedTo` is in the spec or in every rule, never in both.

import type { Field } from "../model/reader.ts";
import type { Direction, Rule, Subject } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import type { AppliedTo } from "./peers/applied-to.ts";
import { readAppliedTo } from "./peers/applied-to.ts";
import { refuseSameNames } from "./peers/names.ts";
import type { Place } from "./place.ts";
import { readPlace } from "./place.ts";
import type { Reading } from "./reading.ts";
import type { ReadRule } from "./rules.ts";
import { readRules } from "./rules.ts";

type Rules = Readonly<Record<Direction, readonly Rule[]>>;

/** null: it could not be read. */
export interface Spec {
  readonly place: Place | null;
  readonly subject: Subject | null;
  readonly rules: Rules | null;
}

const noRules: Rules = { ingress: [], egress: [] };

export function readSpec(spec: Field, reading: Reading): Spec {
  if (!spec.object()) return { place: null, subject: null, rules: null };
  reading.closeUnknown(spec, ["tier", "priority", "appliedTo", ...directions]);
  const place = readPlace(spec, reading);
  const applied = readSubject(spec, reading);
  const canPass = place?.isBaseline !== true;
  const ingress = readRules(spec.at("ingress"), "ingress", canPass, reading);
  const egress = readRules(spec.at("egress"), "egress", canPass, reading);
  refuseSameNames(spec);
  if (applied === null || ingress === null || egress === null) return { place, subject: null, rules: null };
  refuseOfServices(spec, applied, { ingress, egress });
  const all = [applied, ...[...ingress, ...egress].flatMap(({ appliedTo }) => appliedTo ?? [])];
  if (all.some(({ reachesOut }) => reachesOut)) {
    reading.close(
      spec,
      "is applied to a Group that selects pods of other namespaces, so that it has no rules",
    );
    return { place, subject: [], rules: noRules };
  }
  const rules = { ingress: ingress.map(({ rule }) => rule), egress: egress.map(({ rule }) => rule) };
  return { place, subject: applied.pods, rules };
}

const ofRules: AppliedTo = { pods: [], isService: false, reachesOut: false };

/** Of the policy. */
function readSubject(spec: Field, reading: Reading): AppliedTo | null {
  const field = spec.at("appliedTo");
  const rules = directions.flatMap((direction) => spec.at(direction).items());
  const own = rules.filter((rule) => rule.at("appliedTo").items().length > 0);
  if (field.items().length > 0 || (field.present && !Array.isArray(field.raw))) {
    for (const rule of own) rule.at("appliedTo").error("must not be in a rule beside the policy's own");
    return readAppliedTo(field, false, reading);
  }
  if (own.length === 0) return field.error("must be in the policy or in each of its rules", "MissingField");
  for (const rule of rules)
    if (!own.includes(rule)) rule.at("appliedTo").error("must be in every rule or in none", "MissingField");
  return ofRules;
}

/** A rule that is applied to a Service of the nodes concerns sources outside, by address. */
function refuseOfServices(
  spec: Field,
  { isService }: AppliedTo,
  rules: Readonly<Record<Direction, readonly ReadRule[]>>,
): void {
  for (const direction of directions) {
    const ofService = rules[direction].filter(({ appliedTo }) => isService || appliedTo?.isService === true);
    const items = spec.at(direction).items();
    for (const index of new Set(ofService.map(({ rule }) => rule.index))) refuse(items[index], direction);
  }
}

function refuse(rule: Field | undefined, direction: Direction): void {
  if (direction === "egress") rule?.error("must not be of a policy that is applied to a Service");
  for (const peer of rule?.at("from").items() ?? [])
    if (!peer.has("ipBlock")) peer.error("must be an ipBlock in a rule that is applied to a Service");
}
