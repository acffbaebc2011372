// The lines that `observe` shows or records: of this node's reader, or of those of several nodes.

import type { ObserveConfig } from "../../config/answers/observe.ts";
import { systemClock } from "../../lib/clock.ts";
import type { SeenEvent } from "../../observe/decode/event.ts";
import { watched } from "../../observe/watching/client.ts";
import { nodesWatched } from "../../observe/watching/nodes.ts";
import type { AnswerLine } from "../../observe/watching/protocol.ts";
import { readerPods } from "../../observe/watching/reader-pods.ts";

/** A line of an answer, with the node that has seen it where several are asked. */
export type Line = (AnswerLine | { readonly failed: string }) & { readonly node?: string };
export type EventLine = Extract<Line, { readonly event: SeenEvent }>;

export interface AskedLines {
  /** null: this node alone is asked. */
  readonly nodes: readonly string[] | null;
  readonly lines: AsyncIterable<Line>;
}

/** Rejects with an Error of one sentence when the readers of other nodes cannot be found. */
export async function linesAsked(
  { socket, nodes, question }: Pick<ObserveConfig, "socket" | "nodes" | "question">,
  signal: AbortSignal,
): Promise<AskedLines> {
  if (nodes === null) return { nodes, lines: watched({ path: socket, question, signal }) };
  const pods = await readerPods(nodes);
  return {
    nodes: pods.map(({ node }) => node),
    lines: nodesWatched(pods, { asked: nodes, question, signal, clock: systemClock }),
  };
}

/** Of a line that is no event, for people. */
export function sentenceOf(line: Exclude<Line, EventLine>): string {
  const place = line.node === undefined ? "" : `node ${line.node}: `;
  if ("failed" in line) return place + line.failed;
  return place + ("note" in line ? line.note : `${line.lost} events were not taken in time`);
}
