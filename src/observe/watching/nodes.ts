// What the readers of several nodes answer, as their lines come. A node that is followed is asked again when its reader ends or the way
// to it does: by the reader that runs there then.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { Clock } from "../../lib/clock.ts";
import { pause } from "../../lib/deadline.ts";
import type { AnswerLine, Question } from "./protocol.ts";
import type { NodesAsked, ReaderPod } from "./reader-pods.ts";
import { readerPods, readerWatched } from "./reader-pods.ts";

/** Lines of all nodes that wait to be printed. */
const mostWaiting = 1_000;
/** A way that stands for so long is one that the cluster gives. */
const standsMs = 10_000;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** `failed`: why nothing more comes from the node, in one sentence. */
export type NodeLine = { readonly node: string } & (AnswerLine | { readonly failed: string });

export interface NodesWatched {
  readonly asked: NodesAsked;
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The lines of all of them as they come, until all answers end or `signal` does. */
export async function* nodesWatched(
  pods: readonly ReaderPod[],
  watched: NodesWatched,
): AsyncGenerator<NodeLine> {
  const { signal } = watched;
  const merged = new PassThrough({ objectMode: true, highWaterMark: mostWaiting });
  merged.setMaxListeners(0);
  const all = pods.map(async (pod) => {
    for await (const line of nodeWatched(pod, watched))
      if (!merged.write(line)) await Promise.race([once(merged, "drain"), once(signal, "abort")]);
  });
  void Promise.all(all).then(
    () => merged.end(),
    (error: unknown) => merged.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  for await (const line of merged) yield line as NodeLine;
}

async function* nodeWatched(pod: ReaderPod, watched: NodesWatched): AsyncGenerator<NodeLine> {
  const { asked, question, signal, clock } = watched;
  const { node } = pod;
  let [reader, now] = [pod, question];
  let [hasAnswered, said, pauseMs] = [false, "", firstPauseMs / 2];
  for (;;) {
    const begunMs = clock.now();
    const ended = yield* ofNode(node, readerWatched(reader, asked, now, signal));
    hasAnswered ||= ended.hasAnswered;
    const why = ended.why || (question.follow ? "the reader has ended" : "");
    if (signal.aborted || why === "") return;
    const endedMs = clock.now();
    const stood = endedMs - begunMs >= standsMs;
    hasAnswered ||= stood;
    // What never answered is refused, or is not there.
    if (!question.follow || !hasAnswered) {
      yield { node, failed: why };
      return;
    }
    if (why !== said || stood) yield { node, note: `${why}; the node is asked again until one answers` };
    pauseMs = stood ? firstPauseMs : Math.min(2 * pauseMs, longestPauseMs);
    said = why;
    await pause(clock, pauseMs, signal);
    reader = (await readerOf(node, asked)) ?? reader;
    // What a reader has seen since, where only the way to it was lost.
    now = { ...question, sinceSeconds: Math.floor((clock.now() - endedMs) / 1000) };
  }
}

/** Returns why nothing more comes, as the lines do, and whether there was one. */
async function* ofNode(
  node: string,
  lines: AsyncGenerator<AnswerLine, string>,
): AsyncGenerator<NodeLine, { readonly why: string; readonly hasAnswered: boolean }> {
  let hasAnswered = false;
  try {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) return { why: line.value, hasAnswered };
      hasAnswered = true;
      yield { node, ...line.value };
    }
  } finally {
    // Ends what asks, also where nobody reads on.
    await lines.return("");
  }
}

/** The one that runs there now; null: none is found. */
async function readerOf(node: string, asked: NodesAsked): Promise<ReaderPod | null> {
  try {
    const [reader = null] = await readerPods({ ...asked, nodes: [node] });
    return reader;
  } catch {
    // The next try says why.
    return null;
  }
}
