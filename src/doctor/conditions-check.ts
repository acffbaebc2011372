// What instances have reported on policies: conditions that say not in force, that are about an earlier version, or that no
// instance has written.

import type { Condition, KubeApi, ReportedObject } from "../kube/index.ts";
import { failureOf, listConditions, zonePrefix } from "../kube/index.ts";
import { counted } from "../lib/counted.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { ObjectKind } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import type { PolicyKindTraits } from "../policy/contracts/dialect.ts";
import type { Finding } from "./finding.ts";
import { fail, ok, unknown } from "./finding.ts";
import type { ServedKinds } from "./kinds-check.ts";

export interface AskedConditions {
  readonly api: KubeApi;
  readonly policies: readonly PolicyKindTraits[];
  readonly served: ServedKinds;
  /** Whose conditions are meant; null: those of every zone. */
  readonly zone: string | null;
}

/** Policies that a finding names. */
const named = 3;

type Fault = "notInForce" | "outdated" | "unreported";

const faults: Readonly<Record<Fault, { readonly said: string; readonly remedy: string }>> = {
  notInForce: {
    said: "not in force",
    remedy: "kubectl describe shows the whole condition; docs/operations.md explains each reason",
  },
  outdated: {
    said: "reported in an earlier version only",
    remedy: "see whether an instance writes and may patch the status: its log and /readyz say why it waits",
  },
  unreported: {
    said: "without a condition",
    remedy: "see whether an instance runs with --conditions=true, and may patch the status",
  },
};

/** A policy with a fault, in a few words. */
interface Faulty {
  readonly is: Fault;
  readonly text: string;
}

export async function checkConditions(asked: AskedConditions): Promise<readonly Finding[]> {
  const faulty: Faulty[] = [];
  const unread: Finding[] = [];
  let policies = 0;
  for (const kind of asked.policies) {
    const as = servedAs(asked.served, kind);
    const type = kind.conditions?.type;
    if (as === null || type === undefined) continue;
    try {
      const objects = await listConditions(asked.api, as);
      policies += objects.length;
      faulty.push(...objects.flatMap((one) => faultyAs(kind, one, isOwn(type, asked.zone))));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      unread.push(unknown("conditions", `${kind.resource}: ${failure.message}`, "let the user list them"));
    }
  }
  const findings = [...unread, ...findingsOf(faulty)];
  if (findings.length > 0) return findings;
  const said =
    policies === 0 ? "there are no policies" : `${counted(policies, "policy", "policies")} in force`;
  return [ok("conditions", said)];
}

function findingsOf(faulty: readonly Faulty[]): readonly Finding[] {
  return Array.from(
    Map.groupBy(faulty, ({ is }) => is),
    ([is, all]) => {
      const { said, remedy } = faults[is];
      const few = excerptOf(
        all.length,
        all.slice(0, named).map(({ text }) => text),
      );
      return fail("conditions", `${counted(all.length, "policy", "policies")} ${said}: ${few}`, remedy);
    },
  );
}

function faultyAs(
  { kind }: PolicyKindTraits,
  { namespace, name, conditions, generation }: ReportedObject,
  isMeant: (condition: Condition) => boolean,
): readonly Faulty[] {
  const fault = faultOf(conditions.filter(isMeant), generation);
  if (fault === null) return [];
  const full = namespace === null ? name : `${namespace}/${name}`;
  return [{ is: fault.is, text: `${kind} ${printable(full)}${fault.why}` }];
}

function servedAs(served: ServedKinds, kind: ObjectKind): ObjectKind | null {
  const serving = served.get(kind) ?? null;
  return serving !== null && "as" in serving ? serving.as : null;
}

type TypeOf = (zone: string | null) => string;

function isOwn(typeOf: TypeOf, zone: string | null): (condition: Condition) => boolean {
  const prefix = zonePrefix(typeOf);
  return ({ type }) => (zone === null && prefix !== null ? type.startsWith(prefix) : type === typeOf(zone));
}

function faultOf(
  own: readonly Condition[],
  generation: number | null,
): { readonly is: Fault; readonly why: string } | null {
  if (own.length === 0) return { is: "unreported", why: "" };
  const isFalse = own.find(({ status }) => status !== "True");
  if (isFalse !== undefined) {
    const { type, reason, message } = isFalse;
    return { is: "notInForce", why: ` (${printable(type)}: ${printable(reason)}: ${printable(message)})` };
  }
  const isOld = ({ observedGeneration }: Condition) =>
    observedGeneration !== null && generation !== null && observedGeneration < generation;
  const old = own.find(isOld);
  return old === undefined ? null : { is: "outdated", why: ` (${printable(old.type)})` };
}
