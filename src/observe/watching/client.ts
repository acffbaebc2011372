// Asks a reader what it sees: that of this node on its socket, others on the ends of a program that leads to one (nodes.ts).

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { LineSplitter } from "../../lib/text/line-splitter.ts";
import { longestAnswer, parseAnswer } from "./answer-line.ts";
import type { AnswerLine, Question } from "./protocol.ts";

export interface Watched {
  readonly path: string;
  readonly question: Question;
  readonly signal: AbortSignal;
}

/** Where a question is written, and where its answer comes from. */
export interface Asked {
  readonly input: Writable;
  readonly output: Readable;
}

/** What answers is no reader. The message is one sentence. */
export class NotAReader extends Error {
  override readonly name = "NotAReader";
}

/** The socket of this node's reader. Rejects with an Error of one sentence when none answers. */
export async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return socket;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`no reader of this node answers: ${why}; is northgate observe-node running?`, {
      cause: error,
    });
  }
}

/** The lines of the answer, until it ends or `signal` does. Throws an Error of one sentence when no reader can be asked. */
export async function* watched({ path, question, signal }: Watched): AsyncGenerator<AnswerLine> {
  const socket = await connected(path);
  try {
    yield* answersOn({ input: socket, output: socket }, question, signal);
  } finally {
    socket.destroy();
  }
}

/** As `watched`, until what answers closes; whatever closes it is no error. Throws NotAReader. */
export async function* answersOn(
  { input, output }: Asked,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AnswerLine> {
  const end = (): void => {
    output.destroy();
  };
  input.on("error", end);
  signal.addEventListener("abort", end, { once: true });
  input.write(`${JSON.stringify(question)}\n`);
  try {
    if (signal.aborted) return;
    for await (const line of linesOf(output)) {
      const answer = parseAnswer(line);
      if (answer === null) throw new NotAReader("what answers is no reader: it sent a line that none writes");
      yield answer;
    }
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function* linesOf(output: Readable): AsyncGenerator<string> {
  const lines = new LineSplitter();
  try {
    for await (const chunk of output) {
      yield* lines.push(chunk as Buffer);
      if (lines.pending > longestAnswer)
        throw new NotAReader("what answers is no reader: it sent a line without an end");
    }
  } catch (error) {
    if (error instanceof NotAReader) throw error;
  }
}
