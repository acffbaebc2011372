// A server asks itself before anybody asks: once over its own address, since Node compiles its HTTP server at the first connection, and
// then questions of every kind (rehearsal.ts). Each has a turn as those of clients have, and a pause behind it: clients who ask
// meanwhile take turns with it, and the program does other work in the pauses. A question that cannot be answered is left out:
// the client that asks it later gets the error.

import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Reply } from "../../http/reply.ts";
import type { Target } from "../../http/target.ts";
import type { Question } from "../rehearsal.ts";
import type { Throttle } from "./throttle.ts";

export interface Rehearsing {
  /** Where the server listens: `scheme://host:port`. */
  readonly address: string;
  readonly turns: Throttle;
  /** Made in a turn: they are about the objects that are there. */
  readonly questions: () => readonly Question[];
  readonly answer: (target: Target) => Reply | null;
  readonly compress: (reply: Reply) => Promise<Reply>;
}

/** A client of its own among those that take turns: no address is like it. */
const client = "rehearsal";
const patienceMs = 2_000;

export async function rehearse({ address, turns, questions, answer, compress }: Rehearsing): Promise<void> {
  await connected(address).catch(() => undefined);
  const turn = <T>(work: () => T): Promise<T | null> =>
    turns.take(client, () => true, work).catch(() => null);
  for (const question of (await turn(questions)) ?? []) {
    const reply = await turn(() => answer(question));
    if (reply !== null) await compress(reply).catch(() => undefined);
  }
}

/** Whatever is answered: where a gate is, a refusal. */
async function connected(address: string): Promise<void> {
  const { protocol, hostname, port } = new URL(address);
  const to = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
  // Nothing of the answer is used, and the request has nothing secret.
  const socket = protocol === "https:" ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.end("GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: br\r\n\r\n");
  socket.resume();
  await once(socket, "close");
}
