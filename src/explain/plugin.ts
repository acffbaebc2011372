// What a network plugin makes of an answer, beside the rules that it reads in its own way (cni/reading.ts): which page says so, what
// it does where a pod connects to itself, and which ends pods of the host network are. Without a plugin nothing changes.

import type { Answer, Cni } from "../cni/answers.ts";
import { sourceText } from "../cni/answers.ts";
import { isOpen } from "../cni/open-answer.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Connection, End, Judgement } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import { everySubject } from "../policy/every-subject.ts";
import type { Direction } from "../policy/ir.ts";
import { isSelected } from "../policy/matching.ts";
import { isOwnPolicy, isPluginPolicy } from "../policy/outside.ts";
import type { Caveat, Side } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { commonSide } from "./services/services.ts";
import type { Sides } from "./side.ts";

/** Of the answers that the judge's decision rests on. */
export function pluginCaveats(
  asked: AskedWorld,
  connection: Connection,
  judgement: Judgement,
  sides: readonly Direction[],
): readonly Caveat[] {
  const { cni } = asked;
  if (cni === null) return [];
  return sides.flatMap((direction) => {
    const { by } = judgement[direction];
    if (by !== null && isPluginPolicy(by.policy.key)) return caveatOf(cni, wayOf(cni, direction));
    return isByNetworks(asked, connection, judgement, direction)
      ? caveatOf(cni, networksOf(cni, direction === "egress" ? connection.to : connection.from))
      : [];
  });
}

function wayOf({ nodeToOwnPods, podToOwnNode }: Cni, direction: Direction): Answer {
  return direction === "ingress" ? nodeToOwnPods : podToOwnNode;
}

function networksOf({ podsInNetworks, nodesInNetworks }: Cni, { pod }: End): Pick<Answer, "source" | "says"> {
  return pod === null ? nodesInNetworks : podsInNetworks;
}

/** Whether a side ends otherwise than if networks of rules were about every end. */
function isByNetworks(
  { written, facts }: AskedWorld,
  connection: Connection,
  judgement: Judgement,
  direction: Direction,
): boolean {
  const whole = written.filter(({ key }) => !isOwnPolicy(key));
  return judge(connection, facts, whole)[direction].verdict !== judgement[direction].verdict;
}

function caveatOf(cni: Cni, documented: Pick<Answer, "source" | "says">): readonly Caveat[] {
  return [{ code: "Plugin", text: sourceText(cni, documented) }];
}

/** Of a pod that connects to itself. */
export function toItself(asked: AskedWorld, { to, translated }: Connection, sides: Sides): Sides {
  const { cni } = asked;
  if (cni === null) return sides;
  const answer = translated === true ? cni.throughService : cni.toItself;
  const caveats = [...sides.caveats, ...caveatOf(cni, answer)];
  if (!isOpen(answer) || !isSubject(asked, to)) return { ...sides, caveats };
  const open = (side: Side | null): Side | null => side && { ...side, verdict: "unknown" };
  return { verdict: "unknown", egress: open(sides.egress), ingress: open(sides.ingress), caveats };
}

/** Whether a policy says anything of the pod's connections, read or not. */
function isSubject({ written, unknowns, facts }: AskedWorld, end: End): boolean {
  const all = [...written.filter(({ key }) => !isOwnPolicy(key)), ...unknowns.unread];
  return all.some((policy) => isSelected(end, everySubject(policy), facts));
}

/** `pods`: of the ends, those of the host network too. Open where it depends on whether a pod of the host network is taken for a pod or for its node. */
export function withHostPods(
  asked: AskedWorld,
  connection: Connection,
  pods: Readonly<Record<"from" | "to", PodFact | null>>,
  sides: Sides,
  sidesOf: (connection: Connection) => Sides,
): Sides {
  const { cni } = asked;
  if (cni === null || cni.hostPods.are === "node") return sides;
  const ways = endsOf(connection.from, pods.from).flatMap((from) =>
    endsOf(connection.to, pods.to).map((to) => ({ ...connection, from, to })),
  );
  const all = [sides, ...ways.slice(1).map(sidesOf)];
  if (all.every(({ verdict }) => verdict === sides.verdict)) return sides;
  return {
    verdict: "unknown",
    egress: commonSide(all.map(({ egress }) => egress)),
    ingress: commonSide(all.map(({ ingress }) => ingress)),
    caveats: [...caveatOf(cni, cni.hostPods), ...sides.caveats],
  };
}

/** As the judge takes it for OVN, then as a pod. */
function endsOf(end: End, pod: PodFact | null): readonly End[] {
  if (pod === null || !pod.hostNetwork || !isOnPodNetwork({ ...pod, hostNetwork: false })) return [end];
  return [end, { ...end, pod: { ...pod, hostNetwork: false } }];
}
