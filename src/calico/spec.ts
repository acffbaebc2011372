// A policy's spec → its place, its subject, its rules and what happens at the end of its tier.

import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { everything } from "../model/selector.ts";
import type { Direction, PodGroup, Policy } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { podsOf } from "./ends/selection.ts";
import { readNamespaceSelector, readSelector } from "./ends/selectors.ts";
import type { PlacedTier } from "./place/tier.ts";
import { readOrder, readTier } from "./place/tier.ts";
import type { Reading } from "./reading.ts";
import { readRules, rulesFor } from "./rules/rules.ts";
import { readTypes } from "./types.ts";

const known = [
  "tier",
  "order",
  "selector",
  "serviceAccountSelector",
  "types",
  "performanceHints",
  ...directions,
];
const ofHosts = ["doNotTrack", "preDNAT", "applyOnForward"];
const knownGlobally = [...known, "namespaceSelector", ...ofHosts];

/** null: it could not be read. */
export interface Spec {
  readonly place: { readonly tier: PlacedTier["tier"]; readonly priority: number } | null;
  readonly subject: readonly PodGroup[] | null;
  readonly said: Pick<Policy, "rules" | "unmatched" | "isInert"> | null;
}

const nothing: Spec["said"] = {
  rules: { ingress: [], egress: [] },
  unmatched: { ingress: "next", egress: "next" },
  isInert: true,
};

export function readSpec(spec: Field, reading: Reading): Spec {
  if (!spec.object()) return { place: null, subject: null, said: null };
  const before = reading.closings;
  const isGlobal = reading.namespace === null;
  reading.closeUnknown(spec, isGlobal ? knownGlobally : known);
  const closes = reading.closings > before;
  const tier = readTier(spec.at("tier"), reading);
  const priority = readOrder(spec.at("order"));
  const subject = readSubject(spec, reading);
  const types = readTypes(spec);
  readHints(spec.at("performanceHints"));
  const isOfHosts = isGlobal && readHostFields(spec, types);
  const ingress = readRules(spec.at("ingress"), "ingress", closes, reading);
  const egress = readRules(spec.at("egress"), "egress", closes, reading);
  const place = tier === null || priority === null ? null : { tier: tier.tier, priority };
  if (tier === null || subject === null || types === null || ingress === null || egress === null)
    return { place, subject, said: null };
  if (isOfHosts) return { place, subject, said: nothing };
  const read = { ingress, egress };
  const of = <T>(direction: Direction, there: T, otherwise: T) => (types.has(direction) ? there : otherwise);
  const rules = (direction: Direction) => of(direction, rulesFor(read[direction], subject), []);
  const end = (direction: Direction) => of(direction, tier.unmatched, "next");
  return {
    ...{ place, subject },
    said: {
      rules: { ingress: rules("ingress"), egress: rules("egress") },
      unmatched: { ingress: end("ingress"), egress: end("egress") },
    },
  };
}

/** Pods on the pod network; of a NetworkPolicy, those of its own namespace. */
function readSubject(spec: Field, reading: Reading): readonly PodGroup[] | null {
  const isGlobal = reading.namespace === null;
  const labels = readSelector(spec.at("selector"));
  const given = isGlobal ? spec.at("namespaceSelector") : null;
  const namespaces = given === null ? "none" : readNamespaceSelector(given);
  const accounts = readSelector(spec.at("serviceAccountSelector"));
  if (given !== null && namespaces !== "none" && namespaces?.isGlobal === true)
    return given.error("must not have global()", "InvalidSelector");
  if (labels === null || namespaces === null || accounts === null) return null;
  return podsOf(
    spec.at("selector"),
    {
      labels: labels === "none" ? everything : labels,
      namespace: reading.namespace,
      namespaces: namespaces === "none" ? null : namespaces,
      accounts: accounts === "none" ? null : { names: [], selector: accounts },
    },
    reading,
  );
}

function readHints(field: Field): void {
  if (!field.present) return;
  readAll(field.list(0, Infinity) ?? [], (hint) =>
    hint.raw === "AssumeNeededOnEveryNode" ? true : hint.error("must be AssumeNeededOnEveryNode"),
  );
}

/** Whether the policy is about the hosts' own endpoints alone: nothing of it concerns pods. */
function readHostFields(spec: Field, types: ReadonlySet<Direction> | null): boolean {
  const isSet = (name: string): boolean => {
    const field = spec.at(name);
    return field.present && field.boolean() === true;
  };
  const [untracked, early, forwarded] = [isSet("doNotTrack"), isSet("preDNAT"), isSet("applyOnForward")];
  if (untracked && early) spec.at("preDNAT").error("must not be beside doNotTrack");
  const field = spec.at(early ? "preDNAT" : "doNotTrack");
  if ((untracked || early) && !forwarded) field.error("needs applyOnForward");
  if (early && types?.has("egress") === true) field.error("must not be in a policy of egress");
  if (early && spec.at("egress").items().length > 0) field.error("must not be beside egress rules");
  if (!untracked && !early) return false;
  field.warn(
    "is about endpoints of hosts, which have no rows: nothing of the policy is enforced",
    "Unsupported",
  );
  return true;
}
