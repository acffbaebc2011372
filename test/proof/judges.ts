// The judges of a packet and what is compared: the verdict, and the rules that the packet met on its way to it. Judge A is
// the meaning of the policies as their dialects compile them; judge B is OVN with the rows that the controller wrote. Judge
// C is the dataplane (dataplane.ts), which says a verdict and no rules.

import { dialects } from "../../src/dialects.ts";
import { podKey } from "../../src/model/facts.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isApiObject, isPod } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { Connection, Decision, End, Step } from "../../src/policy/evaluate.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { Direction, Policy } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import type { Tie } from "../../src/policy/ties.ts";
import { outcomesOn } from "../../src/policy/ties.ts";
import type { HitAcl } from "../../tools/sandbox/acls-of-flows.ts";
import type { Tracer } from "../../tools/sandbox/trace.ts";
import type { NetworkPolicy } from "./network-policies.ts";
import { meaningOfNetworkPolicy } from "./network-policies.ts";
import type { Probe } from "./packets.ts";

export interface Opinion {
  readonly verdict: "allow" | "drop";
  /** The rules met, in order: "<owner type>/<name> <direction> <index> <action>". */
  readonly rules: readonly string[];
}

export interface Meaning {
  /** Null: it comes to two policies of one priority, and the API leaves open which of them decides. */
  opinion(connection: Connection): Opinion | null;
}

/** How a step and an ACL are told, so that they can be compared; null: they are not. */
export interface Words {
  ofStep(step: Step): string | null;
  ofAcl(acl: HitAcl): string | null;
}

/** A judge of a world who does not read its policies as compiled: from then on that meaning is one voice among the others. */
export interface Witness {
  /** `zone` as in Hearing. */
  meaning(zone: string | null): Meaning;
  /** In which all are compared with it. */
  readonly words: Words;
}

export interface Hearing {
  readonly networkPolicies?: readonly NetworkPolicy[] | undefined;
  /** Only the sides of this node's pods are heard; null: all are. */
  readonly zone?: string | null;
  /** The real ones unless given. */
  readonly installed?: readonly Dialect[] | undefined;
  /** `usualWords` unless given. */
  readonly words?: Words | undefined;
}

/** Judge A. */
export function meaningOf(
  objects: readonly WorldObject[],
  { networkPolicies = [], zone = null, installed, words }: Hearing = {},
): Meaning {
  const policies = [...compiled(objects, installed), ...networkPolicies.map(meaningOfNetworkPolicy)];
  return meaningOfPolicies(policies, objects, zone, words);
}

export function meaningOfPolicies(
  policies: readonly Policy[],
  objects: readonly WorldObject[],
  zone: string | null,
  words: Words = usualWords,
): Meaning {
  const facts = new FactStore();
  for (const object of objects) if (!isApiObject(object)) facts.put(object);
  // A packet may have been drawn in another world, in which its pods had other labels.
  const here = ({ ip, pod }: End): End => ({
    ip,
    pod: pod === null ? null : (facts.pods.get(podKey(pod.namespace, pod.name)) ?? null),
  });
  const isContested = (direction: Direction, connection: Connection) =>
    outcomesOn(direction, connection, facts, policies).ties.some(leavesOpen);
  const isHeard = ({ pod }: End) => pod !== null && (zone === null || pod.node === zone);
  return {
    opinion: (drawn) => {
      const connection = { ...drawn, from: here(drawn.from), to: here(drawn.to) };
      const { egress, ingress } = judge(connection, facts, policies);
      const met: Decision[] = [];
      for (const [direction, end, decision] of [
        ["egress", connection.from, egress],
        ["ingress", connection.to, ingress],
      ] as const) {
        if (!isHeard(end)) continue;
        if (isContested(direction, connection)) return null;
        met.push(decision);
        // What the source's side denies never comes to the destination's.
        if (decision.verdict === "deny") break;
      }
      return {
        verdict: met.at(-1)?.verdict === "deny" ? "drop" : "allow",
        rules: met.flatMap(({ steps }) => steps).flatMap((step) => words.ofStep(step) ?? []),
      };
    },
  };
}

/** Judge B. */
export async function opinionOfOvn(tracer: Tracer, { packet }: Probe, words?: Words): Promise<Opinion> {
  const { verdict, acls } = await tracer.verdict(packet);
  return opinionOfHits(verdict, acls, words);
}

/** The ACLs as the packet meets them. */
export function opinionOfHits(
  verdict: Opinion["verdict"],
  acls: readonly HitAcl[],
  words: Words = usualWords,
): Opinion {
  // What comes behind a reject is its answer on the way back.
  const reject = acls.findIndex(({ action }) => action === "reject");
  const met = acls.slice(0, reject === -1 ? acls.length : reject + 1);
  return { verdict, rules: met.flatMap((acl) => words.ofAcl(acl) ?? []) };
}

export function sameOpinion(one: Opinion, other: Opinion): boolean {
  return one.verdict === other.verdict && one.rules.join() === other.rules.join();
}

export function opinionText({ verdict, rules }: Opinion): string {
  return `${verdict} by [${rules.join(", ")}]`;
}

/** The policies of a world, of which none may be refused. Of the facts, those of nodes alone make a difference to them. */
export function compiled(
  objects: readonly WorldObject[],
  installed: readonly Dialect[] = dialects,
): readonly Policy[] {
  const model = new OfflineModel({ dialects: installed, families: null, backend: () => noBackend });
  model.observe(objects.filter((object) => !isPod(object)));
  for (const { rejected, problems } of model.records())
    if (rejected) throw new Error(`the generator made a policy that is refused: ${JSON.stringify(problems)}`);
  return model.policies();
}

/** NetworkPolicies only add to each other: which of them allows makes no difference to a packet or to its rows. */
function leavesOpen({ tier }: Tie): boolean {
  return tier.name !== "namespaced";
}

function stepText({ policy, direction, rule }: Step): string {
  const { tier, ref, ownerType } = policy;
  const action = rule?.action ?? "deny";
  if (addUp.has(ownerType))
    return action === "allow" ? anyAllowText(direction) : isolationText(ref.namespace, direction);
  const ovnTier = Math.min(3, Math.floor(tier.order));
  if (rule === null) return defaultDenyText(direction, ovnTier);
  return ruleText(rulesText(ownerType, ref.name, direction), ovnTier, rule.index, rule.action);
}

/** Whose it is makes no difference: a tier's default denies are of one priority. */
function defaultDenyText(direction: string, ovnTier: number): string {
  return `default deny ${direction} in tier ${ovnTier}`;
}

/** Rules of the namespaced tier that only allow are of one priority, so that which of them is met is open. */
function ruleText(rules: string, ovnTier: number, index: number | string, action: string): string {
  return ovnTier === tiers.namespaced.order ? `${rules} ${action}` : `${rules} ${index} ${action}`;
}

/** Rules of Antrea's policies take turns: those of one priority, index and action share a level, so that who is met is open. */
function rulesText(owner: string, name: string, direction: string): string {
  return owner.startsWith("Antrea") ? `rules of Antrea's ${direction}` : `${owner}/${name} ${direction}`;
}

/** Owner types of the rows whose allows add up: they have one priority, so that which of them is met is open. */
const addUp: ReadonlySet<string> = new Set(["NetworkPolicy", "NetpolNamespace", "NorthgateNode"]);

function anyAllowText(direction: string): string {
  return `NetworkPolicies or the pod's own node ${direction} allow`;
}

function isolationText(namespace: string | null, direction: string): string {
  return `NetworkPolicies of ${namespace ?? "?"} ${direction} deny`;
}

const actions: Readonly<Record<string, string>> = {
  "allow-related": "allow",
  "allow-stateless": "allow",
  drop: "deny",
};

/** The names of the row's identity are the documented ones, spelled out here and not taken from the backend. */
function aclText({ externalIds, action, tier }: HitAcl): string {
  const id = (key: string) => externalIds.get(key) ?? "?";
  const [owner, name] = [id("k8s.ovn.org/owner-type"), id("k8s.ovn.org/name")];
  const [direction, taken] = [id("direction").toLowerCase(), actions[action] ?? action];
  if (addUp.has(owner))
    return taken === "allow" ? anyAllowText(direction) : isolationText(name.replace(/:.*/, ""), direction);
  if (id("gress-index") === "default") return defaultDenyText(direction, tier);
  return ruleText(rulesText(owner, name, direction), tier, id("gress-index"), taken);
}

export const usualWords: Words = { ofStep: stepText, ofAcl: aclText };
