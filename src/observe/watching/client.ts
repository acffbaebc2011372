// Asks the reader of this node what it sees.

import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { AnswerLine, Question } from "./protocol.ts";

export interface Watched {
  /** The lines of the answer, until it ends or `signal` does. Throws an Error of one sentence when no reader can be asked. */
  readonly path: string;
  readonly question: Question;
  readonly signal: AbortSignal;
}

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
    const lines = createInterface({ input: socket });
    const end = (): void => {
      lines.close();
    };
    // It passes on what ends the socket.
    lines.on("error", end);
    socket.on("close", end);
    signal.addEventListener("abort", end, { once: true });
    socket.write(`${JSON.stringify(question)}\n`);
    if (!signal.aborted) for await (const line of lines) yield JSON.parse(line) as AnswerLine;
  } finally {
    socket.destroy();
  }
}
