// A loaded world as plan compares it: the policies that verdicts follow from, as those enforce them that do so in the cluster.

import { sourceText } from "../cni/answers.ts";
import type { PluginReading } from "../cni/reading.ts";
import { readBy } from "../cni/reading.ts";
import type { Caveat, VerdictClass } from "../plan/report.ts";
import type { PlanWorld } from "../plan/world.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import type { LoadedWorld } from "./world.ts";

type Model = Pick<LoadedWorld["model"], "facts" | "policies">;

interface Known extends Partial<Pick<LoadedWorld, "workloads" | "cni">> {
  readonly model: Model;
  /** As `model` unless given. */
  readonly judged?: Model;
}

export interface PlannedWorld extends PlanWorld {
  /** What a network plugin leaves open, or does otherwise than OVN, each a sentence with its page. */
  readonly documented: { readonly open: readonly string[]; readonly sure: readonly string[] };
}

/** `isDoubtful`: whether it is open anyway whether a rule matches. */
export function plannedWorld(
  { model, judged = model, workloads = [], cni = null }: Known,
  isDoubtful: (rule: Rule) => boolean,
): PlannedWorld {
  const { facts } = judged;
  const policies = judged.policies();
  if (cni === null) return { policies, facts, workloads, documented: { open: [], sure: [] } };
  const reading = readBy(cni, { policies, nodes: facts.nodes, isDoubtful });
  const byNetworks = [cni.podsInNetworks, cni.nodesInNetworks].filter(({ matches }) => matches === "no");
  return {
    ...{ policies: reading.possible, facts, workloads },
    open: new Map(reading.open.map(({ rule, actions }) => [rule, { actions, byPeers: true }])),
    documented: {
      open: [...new Set(reading.open.map(({ text }) => text))],
      sure: hasOthers(reading, policies) ? byNetworks.map((one) => sourceText(cni, one)) : [],
    },
  };
}

/** Whether networks of rules are about other ends than the policies say. */
function hasOthers({ policies }: PluginReading, written: readonly Policy[]): boolean {
  const same = new Map(written.map((policy) => [policy.key, policy]));
  return policies.some((policy) => (same.get(policy.key) ?? policy) !== policy);
}

/** What is open is said where a verdict rests on it. */
export function pluginCaveats(
  worlds: readonly PlannedWorld[],
  classes: readonly VerdictClass[],
): readonly Caveat[] {
  const isOpen = classes.some(({ by }) =>
    [by.old, by.new].some(({ egress, ingress }) => egress.by === "open" || ingress.by === "open"),
  );
  const texts = worlds.flatMap(({ documented: { open, sure } }) => [...sure, ...(isOpen ? open : [])]);
  return [...new Set(texts)].map((text) => ({ code: "Plugin", text }));
}
