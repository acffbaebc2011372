// Asks each DNS server for each name, A and AAAA, again as soon as its answer's TTL is over: each server has answers of its own, with
// TTLs of their own, and a client may be sent to any of them. At most 50 questions are under way. What comes back goes to the
// AnswerSink. Decides when to ask and which server is away; knows no addresses.

import type { Clock, Timer } from "../lib/clock.ts";
import type { IpFamily } from "../model/ip.ts";
import { ipFamilies } from "../model/ip.ts";
import type { AnswerSink, LearnedAddress, Outcome } from "./answer-sink.ts";

export interface Asked {
  readonly outcome: Outcome;
  readonly addresses: readonly LearnedAddress[];
  /** Whether the server answered at all. */
  readonly isReached: boolean;
}

/** `server`: `ADDRESS:PORT`. Never rejects, and takes a second or two at the most. */
export type Ask = (server: string, name: string, family: IpFamily) => Promise<Asked>;

export interface PollOptions {
  readonly clock: Clock;
  readonly sink: AnswerSink;
  readonly ask: Ask;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

const mostInFlight = 50;
/** After the end of a TTL: what is asked then is not cached any more. */
const afterTtlMs = 5;
const leastMs = 1_000;
const mostMs = 3_600_000;
/** A name without an address may get one. */
const emptyMs = 5_000;
/** One with addresses of the other family seldom gets one of this. */
const otherFamilyMs = 30_000;
/** The wait after a failure doubles up to this. */
const mostFailureMs = 30_000;
/** Questions without an answer, one after the other, until a server counts as away. */
const unansweredUntilAway = 3;

interface Question {
  readonly server: string;
  readonly name: string;
  readonly family: IpFamily;
}

interface Task extends Question {
  timer: Timer | null;
  failures: number;
  hasAddresses: boolean;
}

export class Poll {
  readonly #options: PollOptions;
  readonly #tasks = new Map<string, Task>();
  readonly #due = new Set<Task>();
  /** By server, how many questions in a row it has not answered. */
  readonly #unanswered = new Map<string, number>();
  #servers: readonly string[] = [];
  #inFlight = 0;
  #stopped = false;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  /** Questions that were sent and are not answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The servers that do not answer. */
  get away(): readonly string[] {
    return this.#servers.filter((one) => (this.#unanswered.get(one) ?? 0) >= unansweredUntilAway);
  }

  /** Asks for these names, of these servers, from now on. What is new is asked at once. */
  follow(names: Iterable<string>, servers: readonly string[]): void {
    this.#servers = servers;
    for (const known of this.#unanswered.keys()) if (!servers.includes(known)) this.#unanswered.delete(known);
    const wanted = new Map(questions(names, servers).map((one) => [keyOf(one), one]));
    for (const [key, question] of wanted) if (!this.#tasks.has(key)) this.#begin(key, question);
    for (const [key, task] of this.#tasks) if (!wanted.has(key)) this.#end(key, task);
    this.#run();
  }

  stop(): void {
    this.#stopped = true;
    for (const [key, task] of this.#tasks) this.#end(key, task);
  }

  #begin(key: string, of: Question): void {
    const task: Task = { ...of, timer: null, failures: 0, hasAddresses: false };
    this.#tasks.set(key, task);
    this.#due.add(task);
  }

  #end(key: string, task: Task): void {
    this.#tasks.delete(key);
    this.#due.delete(task);
    task.timer?.cancel();
  }

  #run(): void {
    while (this.#inFlight < mostInFlight && !this.#stopped) {
      const [task] = this.#due;
      if (task === undefined) return;
      this.#due.delete(task);
      this.#inFlight++;
      this.#askFor(task).catch(this.#options.fatal);
    }
  }

  async #askFor(task: Task): Promise<void> {
    const { ask, sink, clock } = this.#options;
    const { server, name, family } = task;
    const { outcome, addresses, isReached } = await ask(server, name, family);
    this.#inFlight--;
    if (this.#tasks.get(keyOf(task)) === task) {
      this.#unanswered.set(server, isReached ? 0 : (this.#unanswered.get(server) ?? 0) + 1);
      sink.learn({ name, family, outcome, addresses, at: clock.now(), source: server });
      task.failures = outcome === "failed" ? task.failures + 1 : 0;
      task.hasAddresses = outcome === "answered";
      task.timer = clock.after(this.#waitMs(task, outcome, addresses), () => {
        task.timer = null;
        this.#due.add(task);
        this.#run();
      });
    }
    this.#run();
  }

  #waitMs(task: Task, outcome: Outcome, addresses: readonly LearnedAddress[]): number {
    if (outcome === "failed") return Math.min(mostFailureMs, leastMs * 2 ** Math.min(task.failures - 1, 10));
    if (outcome === "answered") {
      const ttl = Math.min(...addresses.map((one) => one.ttl));
      return Math.min(mostMs, Math.max(leastMs, ttl * 1_000 + afterTtlMs));
    }
    const other = this.#tasks.get(keyOf({ ...task, family: task.family === "v4" ? "v6" : "v4" }));
    return other?.hasAddresses === true ? otherFamilyMs : emptyMs;
  }
}

function questions(names: Iterable<string>, servers: readonly string[]): readonly Question[] {
  return [...names].flatMap((name) =>
    servers.flatMap((server) => ipFamilies.map((family) => ({ server, name, family }))),
  );
}

function keyOf({ server, name, family }: Question): string {
  return `${server} ${name} ${family}`;
}
