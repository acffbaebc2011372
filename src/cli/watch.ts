// `--watch`: an answer, and another one whenever it changes. Manifests are read again as they are read once; a cluster is followed. While
// a part of a cluster cannot be followed no answer is given, and that is said once: an answer is never of a world that is over.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { WorldConfig } from "../config/answers/questions.ts";
import { installed } from "../dialects.ts";
import type { AskedWorld } from "../explain/asked.ts";
import { DirectorySource } from "../informers/index.ts";
import { systemClock } from "../lib/clock.ts";
import { pause } from "../lib/deadline.ts";
import type { Cidr } from "../model/ip.ts";
import { visibleJson } from "../model/quote.ts";
import { serviceKind } from "../model/service.ts";
import { notReadLines } from "../unknowns/foreign.ts";
import { kindsRead } from "../worlds/world-models.ts";
import { loadWorld } from "../worlds/world.ts";
import { askedIn } from "./worlds/asked-world.ts";
import { askedToEnd } from "./ends.ts";
import { follow, refusals } from "./worlds/followed-source.ts";
import { formatData } from "./print/data.ts";
import { printError } from "./print/print-error.ts";

export interface Watching {
  readonly world: WorldConfig;
  readonly serviceNetworks: readonly Cidr[];
  /** Of names of ends that have none; null: `default`. */
  readonly namespace: string | null;
  readonly output: "table" | "json" | "yaml";
}

export interface WatchedAnswer {
  readonly data: unknown;
  /** For people. */
  readonly text: string;
}

/** Of the world as it is. Throws an Error of one sentence where there is none: of an end that is not there. */
export type Answering = (asked: AskedWorld) => WatchedAnswer;

/** A world that changes. */
interface Moving {
  /** Whether all of it is followed now; says where that is no more so, and where it is so again. */
  readonly isFollowed: () => boolean;
  /** Another whenever an answer may be another. */
  readonly version: () => number;
  readonly asked: () => Promise<AskedWorld>;
  readonly close: () => Promise<void>;
}

const lookMs = 200;

/** The exit code: 0 when a signal, or the end of the reader, has ended it. Throws an Error of one sentence when there is no world. */
export async function watchAnswers(watching: Watching, answering: Answering): Promise<number> {
  const failing = Promise.withResolvers<never>();
  const ended = Promise.race([askedToEnd(), readerLeft(), failing.promise]);
  const open = watching.world.source.kind === "kube" ? followCluster : followFiles;
  const moving = await open(watching, failing.reject);
  const answers = new Answers(watching.output, answering);
  const over = new AbortController();
  try {
    await Promise.race([ended, giveAll(moving, answers, over.signal)]);
    return 0;
  } finally {
    over.abort();
    await moving.close();
  }
}

/** Ends when the signal is aborted. */
async function giveAll(moving: Moving, answers: Answers, signal: AbortSignal): Promise<void> {
  let last: number | null = null;
  while (!signal.aborted) {
    const begun = systemClock.now();
    const version: number | null = moving.isFollowed() ? moving.version() : last;
    if (version !== last) answers.give(await moving.asked());
    last = version;
    // Half of the time at most is for answers.
    await pause(systemClock, Math.max(lookMs, systemClock.now() - begun), signal);
  }
}

/** Nobody reads any more: nothing is left to do. */
function readerLeft(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once("error", () => {
      resolve();
    });
  });
}

class Answers {
  readonly #output: Watching["output"];
  readonly #answering: Answering;
  /** What was said last. */
  #last = "";

  constructor(output: Watching["output"], answering: Answering) {
    this.#output = output;
    this.#answering = answering;
  }

  /** Prints the answer if it is another one. */
  give(asked: AskedWorld): void {
    try {
      const answer = this.#answering(asked);
      if (this.#isNew(JSON.stringify(answer.data, withoutPlaces))) process.stdout.write(this.#shown(answer));
    } catch (error) {
      if (!(error instanceof NoSuchEnd)) throw error;
      if (this.#isNew(error.message)) printError(error.message);
    }
  }

  #isNew(said: string): boolean {
    const isNew = said !== this.#last;
    this.#last = said;
    return isNew;
  }

  #shown({ data, text }: WatchedAnswer): string {
    if (this.#output === "json") return `${visibleJson(JSON.stringify(data))}\n`;
    if (this.#output === "yaml") return `---\n${formatData(data, "yaml")}`;
    const head = process.stdout.isTTY ? `${new Date().toISOString().slice(0, 19)}Z\n` : "";
    return `${head}${text.trimEnd()}\n\n`;
  }
}

/** The lines of files move with every line above them, and nothing else does. */
function withoutPlaces(key: string, value: unknown): unknown {
  return key === "place" ? undefined : value;
}

async function followCluster(
  { world, serviceNetworks, namespace }: Watching,
  fatal: (error: unknown) => void,
): Promise<Moving> {
  const config = { world: { ...world, kinds: kindsRead(world) }, serviceNetworks, namespace };
  const source = await follow(config, world.source, fatal, "error");
  const { world: followed } = source;
  let isSynced = false;
  void source.synced.then(() => {
    isSynced = true;
  });
  const notes = new Notes();
  let isLost = false;
  return {
    isFollowed: () => {
      const why = source.lost();
      if (why.length > 0 && !isLost)
        printError(`the cluster cannot be followed, and until it can there is no answer: ${why.join("; ")}`);
      if (why.length === 0 && isLost) printError("the cluster is followed again");
      isLost = why.length > 0;
      return isSynced && !isLost;
    },
    version: () => followed.revision,
    asked: () => {
      notes.say([...source.problems(), ...refusals(followed), ...notReadLines(followed.notRead)]);
      return Promise.resolve(followed.asked);
    },
    close: () => source.close(),
  };
}

function followFiles({ world, serviceNetworks, namespace }: Watching): Promise<Moving> {
  const { source, ...mode } = world;
  const paths = source.kind === "files" ? source.paths : source.kind === "kube" ? [] : [source.path];
  const { policies, references } = installed(kindsRead(mode));
  let version = 0;
  const changed = (): void => {
    version++;
  };
  // Its objects are not asked for: it says that something in the files is another, whatever kind it is of.
  const files = new DirectorySource({
    ...{ paths, policies, references, clock: systemClock },
    ...{ keeps: () => true, onKept: changed },
  });
  files.start({ changed, synced: changed, problem: changed });
  const notes = new Notes();
  return Promise.resolve({
    isFollowed: () => true,
    version: () => version,
    asked: async () => {
      const loaded = await loadWorld(source, { ...mode, alsoRead: [serviceKind] });
      notes.say(loaded.lines);
      return askedIn(loaded, mode, serviceNetworks, namespace);
    },
    close: () => files.stop(),
  });
}

/** Findings, each once until it is over. */
class Notes {
  #said: ReadonlySet<string> = new Set();

  say(lines: readonly string[]): void {
    for (const line of lines) if (!this.#said.has(line)) process.stderr.write(`${line}\n`);
    this.#said = new Set(lines);
  }
}
