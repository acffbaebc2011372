// Asks a reader what it sees: that of this node on its socket, others on the ends of a program that leads to one (nodes.ts).

import { connect } from "node:net";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
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

/** The lines of the answer, until it ends or `signal` does. Throws an Error of one sentence when no reader can be asked. */
export async function* watched({ path, question, signal }: Watched): AsyncGenerator<AnswerLine> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", (error) => {
        reject(
          new Error(`no reader of this node answers: ${error.message}; is northgate observe-node running?`),
        );
      });
    });
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
  const decoder = new StringDecoder("utf8");
  let rest = "";
  try {
    for await (const chunk of output) {
      const lines = (rest + decoder.write(chunk as Buffer)).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > longestAnswer)
        throw new NotAReader("what answers is no reader: it sent a line without an end");
      yield* lines;
    }
  } catch (error) {
    if (error instanceof NotAReader) throw error;
  }
}
