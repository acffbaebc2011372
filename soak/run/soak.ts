// One soak from beginning to end: a private database, a folder of manifests, the real program on both; changes at a steady
// rate, one fault after the other, samples all the time; then quiet, a comparison with a fresh start, and the verdicts.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { policies, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../../test/support/actual-tables.ts";
import { freshTables, openNorthbound } from "../../test/support/controller.ts";
import { byOrder } from "../../test/support/ranked-places.ts";
import { type Verdict, verdictsOf } from "../judge.ts";
import { Cluster } from "./cluster.ts";
import { faults, type Stage } from "./faults.ts";
import { Folder } from "./folder.ts";
import { changedRows, createForeign, foreignRows } from "./foreign.ts";
import { Program, until } from "./program.ts";
import { type Sample, Sampler } from "./sampler.ts";

export interface SoakOptions {
  readonly durationMs: number;
  readonly faultEveryMs: number;
  readonly sampleMs: number;
  readonly changesPerSecond: number;
  readonly seed: number;
}

export interface FaultRun {
  readonly name: string;
  /** Since the run began. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Why it did not end well; null: it did. */
  readonly failure: string | null;
}

export interface SoakResult {
  readonly options: SoakOptions;
  readonly changes: number;
  readonly samples: readonly Sample[];
  readonly missedSamples: number;
  readonly faults: readonly FaultRun[];
  readonly verdicts: readonly Verdict[];
}

const tickMs = 100;
const portsMs = 500;
/** For rows to be right at the end. */
const patienceMs = 120_000;

export async function soak(options: SoakOptions, tell: (line: string) => void): Promise<SoakResult> {
  const ovn = await startOvn({ northd: false });
  let program: Program | null = null;
  try {
    const folder = new Folder(new Cluster(options.seed), ovn);
    folder.write();
    await folder.writePorts();
    await createForeign(ovn);
    program = start(ovn, folder, "program");
    await until("the program is ready", patienceMs, program.isReady.bind(program));
    tell("the program is ready, the soak begins");
    return await new Soak(options, tell, ovn, folder, program).run();
  } finally {
    program?.release();
    await program?.end("SIGKILL");
    await ovn.stop();
  }
}

function start(ovn: Ovn, { path }: Folder, name: string): Program {
  return new Program([`--source=dir:${path}`, `--nb=${ovn.nb}`], ovn.dir, name);
}

class Soak {
  readonly #options: SoakOptions;
  readonly #tell: (line: string) => void;
  readonly #stage: Stage;
  readonly #sampler: Sampler;
  readonly #faults: FaultRun[] = [];
  readonly #begunMs = performance.now();
  #changes = 0;
  #isOver = false;

  constructor(
    options: SoakOptions,
    tell: (line: string) => void,
    ovn: Ovn,
    folder: Folder,
    program: Program,
  ) {
    this.#options = options;
    this.#tell = tell;
    this.#stage = { ovn, folder, program, startSecond: () => start(ovn, folder, "second") };
    this.#sampler = new Sampler(program, this.#begunMs);
  }

  async run(): Promise<SoakResult> {
    const { ovn, program, folder } = this.#stage;
    const foreign = await foreignRows(ovn);
    const work = [this.#change(), this.#writePorts(), this.#sample(), this.#fail()];
    try {
      await Promise.all(work);
    } finally {
      this.#isOver = true;
      await Promise.allSettled(work);
    }
    this.#tell("quiet: rows are compared with those of a fresh start");
    await until("the last ports are written", patienceMs, async () => {
      await folder.writePorts();
      return true;
    });
    const rows = await this.#difference();
    const complaints = program.complaints();
    // After the work, so that descriptors have come back to what they were.
    await this.#sampler.look();
    const exitCode = await program.end("SIGTERM");
    const foreignChanged = changedRows(foreign, await foreignRows(ovn));
    const faultsFailed = this.#faults.flatMap(({ name, failure }) =>
      failure === null ? [] : [`${name}: ${failure}`],
    );
    const { samples, missed } = this.#sampler;
    return {
      options: this.#options,
      changes: this.#changes,
      samples,
      missedSamples: missed,
      faults: this.#faults,
      verdicts: verdictsOf(samples, {
        ...{ rows, foreignRows: foreign.size, foreignChanged, complaints, exitCode, faultsFailed },
      }),
    };
  }

  get #elapsedMs(): number {
    return performance.now() - this.#begunMs;
  }

  /** A fault under way at the end is waited for, with everything else going on. */
  get #isOn(): boolean {
    return !this.#isOver;
  }

  /** At the rate asked for, whatever a tick takes. */
  async #change(): Promise<void> {
    while (this.#isOn) {
      const due = Math.floor((this.#elapsedMs / 1000) * this.#options.changesPerSecond);
      for (; this.#changes < due; this.#changes++) this.#stage.folder.change();
      this.#stage.folder.write();
      await sleep(tickMs);
    }
  }

  async #writePorts(): Promise<void> {
    while (this.#isOn) {
      // While the database is away, the next round writes them.
      await this.#stage.folder.writePorts().catch(() => undefined);
      await sleep(portsMs);
    }
  }

  async #sample(): Promise<void> {
    const { durationMs, sampleMs } = this.#options;
    let told = 0;
    while (this.#isOn) {
      await this.#sampler.look();
      const minutes = Math.floor(this.#elapsedMs / 60_000);
      if (minutes > told) this.#tell(this.#progress(durationMs));
      told = minutes;
      await sleep(sampleMs);
    }
  }

  async #fail(): Promise<void> {
    const { durationMs, faultEveryMs } = this.#options;
    for (let turn = 0; ; turn++) {
      await sleep(Math.max(0, Math.min(faultEveryMs, durationMs - this.#elapsedMs)));
      if (this.#elapsedMs >= durationMs || this.#isOver) break;
      const fault = faults[turn % faults.length];
      if (fault === undefined) break;
      const atMs = Math.round(this.#elapsedMs);
      let failure: string | null = null;
      try {
        await fault.inject(this.#stage);
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
        this.#tell(`${fault.name}: ${failure}`);
      }
      this.#faults.push({ name: fault.name, atMs, tookMs: Math.round(this.#elapsedMs) - atMs, failure });
    }
    this.#isOver = true;
  }

  #progress(durationMs: number): string {
    const last = this.#sampler.samples.at(-1);
    const mib = (bytes = 0) => `${Math.round(bytes / 2 ** 20)} MiB`;
    return (
      `${Math.floor(this.#elapsedMs / 60_000)} of ${Math.round(durationMs / 60_000)} min: heap ${mib(last?.heapBytes)}, ` +
      `RSS ${mib(last?.rssBytes)}, ${last?.descriptors ?? 0} descriptors, ${this.#changes} changes, ${this.#faults.length} faults`
    );
  }

  /** null: the rows are those that a fresh start would write; otherwise what differs. */
  async #difference(): Promise<string | null> {
    const { ovn, folder } = this.#stage;
    const { objects, problems } = loadManifests([folder.path], policies, references);
    if (problems.length > 0) return `${problems.length} manifests cannot be read`;
    const wanted = byOrder(freshTables(objects, { families: null, zone: null }));
    const session = openNorthbound(ovn.nb);
    try {
      await session.opened();
      const differing = () => {
        const found = byOrder(actualTables(session.cache));
        const names = ["Port_Group", "Address_Set", "ACL"] as const;
        return names.filter((name) => !isDeepStrictEqual(found[name], wanted[name]));
      };
      const begun = performance.now();
      while (differing().length > 0 && performance.now() - begun < patienceMs) await sleep(200);
      return differing().length === 0 ? null : `rows of ${differing().join(", ")}`;
    } finally {
      await session.close();
    }
  }
}
