// The two judges of a packet and what is compared: the verdict, and the rules that the packet met on its way to it. Judge A
// is the meaning of the policies as their dialects compile them; judge B is OVN with the rows that the controller wrote.

import { dialects } from "../../src/dialects.ts";
import { podKey } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Connection, End, Step, World } from "../../src/policy/evaluate.ts";
import { firstMatch, judge } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import type { HitAcl, Tracer } from "../../src/sandbox/trace.ts";
import type { Probe } from "./packets.ts";
import { sorted } from "./worlds.ts";

export interface Opinion {
  readonly verdict: "allow" | "drop";
  /** The rules met, in order: "<kind>/<name> <direction> <index> <action>". */
  readonly rules: readonly string[];
}

export interface Meaning {
  /** Null: two policies of one priority speak about it, and the API leaves open which of them is heard. */
  opinion(connection: Connection): Opinion | null;
}

/** Judge A. */
export function meaningOf(objects: readonly WorldObject[]): Meaning {
  const { namespaces, nodes, pods, policies: written } = sorted(objects);
  const world: World = { namespaces, nodes };
  const factOf = new Map(pods.map((pod) => [podKey(pod.namespace, pod.name), pod]));
  // A packet may have been drawn in another world, in which its pods had other labels.
  const here = ({ ip, pod }: End): End => ({
    ip,
    pod: pod === null ? null : (factOf.get(podKey(pod.namespace, pod.name)) ?? null),
  });
  const policies = written.map(compiled);
  const rivals = rivalsAmong(policies);
  return {
    opinion: (drawn) => {
      const connection = { ...drawn, from: here(drawn.from), to: here(drawn.to) };
      if (rivals.some((group) => isContested(group, connection, world))) return null;
      const { verdict, egress, ingress } = judge(connection, world, policies);
      const steps = egress.verdict === "allow" ? [...egress.steps, ...ingress.steps] : egress.steps;
      return { verdict: verdict === "allow" ? "allow" : "drop", rules: steps.map(stepText) };
    },
  };
}

/** Judge B. */
export async function opinionOfOvn(tracer: Tracer, { packet }: Probe): Promise<Opinion> {
  const { verdict, acls } = await tracer.verdict(packet);
  return { verdict, rules: acls.map(aclText) };
}

export function sameOpinion(one: Opinion, other: Opinion): boolean {
  return one.verdict === other.verdict && one.rules.join() === other.rules.join();
}

export function opinionText({ verdict, rules }: Opinion): string {
  return `${verdict} by [${rules.join(", ")}]`;
}

function compiled(object: ReturnType<typeof sorted>["policies"][number]): Policy {
  const dialect = dialects.find(({ kind }) => kind === object.kind);
  const result = dialect?.compile(object);
  if (result?.policy) return result.policy;
  throw new Error(`the generator made a policy that is refused: ${JSON.stringify(result?.problems)}`);
}

/** Policies of one tier and priority, where there are several. */
function rivalsAmong(policies: readonly Policy[]): readonly (readonly Policy[])[] {
  const groups = Map.groupBy(policies, ({ tier, priority }) => `${tier.order} ${priority}`);
  return [...groups.values()].filter((group) => group.length > 1);
}

function isContested(rivals: readonly Policy[], connection: Connection, world: World): boolean {
  return directions.some(
    (direction) =>
      rivals.filter((policy) => firstMatch(policy, direction, connection, world) !== null).length > 1,
  );
}

function stepText({ policy, direction, rule }: Step): string {
  return `${policy.key} ${direction} ${rule?.index ?? "unmatched"} ${rule?.action ?? "deny"}`;
}

const actions: Readonly<Record<string, string>> = { "allow-related": "allow", drop: "deny" };

/** The names of the row's identity are the documented ones, spelled out here and not taken from the backend. */
function aclText({ externalIds, action }: HitAcl): string {
  const id = (key: string) => externalIds.get(key) ?? "?";
  const policy = `${id("k8s.ovn.org/owner-type")}/${id("k8s.ovn.org/name")}`;
  return `${policy} ${id("direction").toLowerCase()} ${id("gress-index")} ${actions[action] ?? action}`;
}
