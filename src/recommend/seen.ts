// Which recorded connections are to be allowed, and why the others are not. A connection is allowed by a recommendation only where the
// policies of today allow it, and the record does not say that it was denied: a record alone decides nothing.

import type { Answer } from "../explain/answer.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { answerTo } from "../flows/answers.ts";
import type { IpAddress } from "../model/ip.ts";
import type { PodKey, Protocol } from "../model/facts.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import type { PodClass, PodClasses } from "./pod-classes.ts";
import type { LeftOutFlow } from "./report.ts";

/** Pods that one selector means, or an address that no pod on the pod network has. */
export type SeenEnd = PodClass | IpAddress;

export interface AllowedFlow {
  readonly flow: Flow;
  readonly from: SeenEnd;
  readonly to: SeenEnd;
  /** null: no rule is needed, from a pod to itself. */
  readonly port: { readonly protocol: Protocol; readonly port: number } | null;
}

export interface Seen {
  readonly allowed: readonly AllowedFlow[];
  readonly leftOut: readonly LeftOutFlow[];
}

export function seenIn(record: FlowRecord, asked: AskedWorld, classes: PodClasses): Seen {
  const allowed: AllowedFlow[] = [];
  const leftOut: LeftOutFlow[] = [];
  for (const flow of record.connections) {
    const answer = answerTo(flow, asked);
    const why = "why" in answer ? answer.why : whyNot(flow, answer);
    if ("why" in answer || why !== null) leftOut.push({ ...flow, why: why ?? "" });
    else allowed.push(allowedFlow(flow, answer, asked, classes));
  }
  return { allowed, leftOut };
}

/** null: it is to be allowed. */
function whyNot({ verdict }: Flow, { verdict: now, caveats, protocol, ...ends }: Answer): string | null {
  if (verdict === "deny") return "it was denied when it was seen";
  if (now === "deny") return "policies deny it today";
  if (now === "unknown")
    return `whether it is allowed today is unknown: ${caveats.map(({ text }) => text).join("; ")}`;
  if (isSelf(ends)) return null;
  const unseen = caveats.find(({ code }) => code === "UnseenPod");
  if (unseen !== undefined) return unseen.text;
  return protocol === "icmp" ? "rules of a NetworkPolicy have no ICMP beside ports" : null;
}

function isSelf({ from, to }: Pick<Answer, "from" | "to">): boolean {
  return from.kind === "pod" && to.kind === "pod" && from.pod === to.pod;
}

function allowedFlow(flow: Flow, answer: Answer, { facts }: AskedWorld, classes: PodClasses): AllowedFlow {
  const { protocol, port } = answer;
  const end = (side: "from" | "to"): SeenEnd => {
    const { kind, pod } = answer[side];
    const fact = kind === "pod" && pod !== null ? facts.pods.get(pod as PodKey) : undefined;
    return (fact && classes.of(fact)) ?? answer[side].ip ?? flow[side].ip;
  };
  const asks = protocol === "icmp" || port === null || isSelf(answer) ? null : { protocol, port };
  return { flow, from: end("from"), to: end("to"), port: asks };
}
