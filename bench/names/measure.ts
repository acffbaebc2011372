// One measurement of names: the program with answers at a rate, and then the same changes written raw, on one Northbound database.

import { setTimeout as sleep } from "node:timers/promises";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { freePort } from "../../e2e/names/coredns-process.ts";
import { range } from "../northd/forms.ts";
import type { Spread } from "../run/measurement.ts";
import { spread } from "../run/measurement.ts";
import type { ProcessCpu, Reach } from "../run/reach.ts";
import { Dataplane, each } from "../run/reach.ts";
import { usageOf } from "../run/usage.ts";
import { DnsServer } from "./dns-server.ts";
import { Floor } from "./floor.ts";
import { Ledger } from "./ledger.ts";
import { NamesProgram } from "./program.ts";
import { SetsSight } from "./sets-sight.ts";
import { TapSender } from "./tap-sender.ts";
import type { Seen } from "./window.ts";
import { Window } from "./window.ts";
import { facts, nameOf, objects, wildcard } from "./world.ts";

export const sources = ["poll", "dnstap"] as const;

export interface NamesSettings {
  readonly source: (typeof sources)[number];
  readonly names: number;
  /** Answers with another address, a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Whether a chassis with flows is behind the database. */
  readonly chassis: boolean;
  readonly patienceMs: number;
}

/** What was counted; of processor time, milliseconds. */
interface Counted {
  /** Each with an address. */
  readonly answers: number;
  readonly transactions: number;
  readonly operations: number;
  readonly cpuMs: number;
  readonly rssMiB: number;
  readonly serverCpuMs: number;
}

/** In the time that was measured; processor time a second. */
export interface Measured extends Seen, Counted {
  readonly settings: NamesSettings;
  /** Addresses in the sets. */
  readonly held: number;
  /** null: there is no chassis. */
  readonly flows: { readonly delayMs: Spread | null; readonly cpu: ProcessCpu } | null;
  readonly floor: Pick<Seen, "delayMs"> & { readonly serverCpuMs: number };
}

/** After its TTL an address counts so much longer, and removals come in ticks of a second. */
const graceSeconds = 7;
const lookMs = 100;
const settleMs = 1_000;
/** Between two addresses whose flows are waited for. */
const flowsEveryMs = 500;

export async function measureNames(settings: NamesSettings): Promise<Measured> {
  const ovn = await startOvn({ northd: settings.chassis });
  try {
    await applyCni(ovn, facts);
    const dataplane = settings.chassis
      ? await Dataplane.open(ovn, facts.pods.map(portOf), settings.patienceMs)
      : null;
    try {
      return await new Measurement(settings, ovn, dataplane).run();
    } finally {
      await dataplane?.close();
    }
  } finally {
    await ovn.stop();
  }
}

class Measurement {
  readonly #settings: NamesSettings;
  readonly #ovn: Ovn;
  readonly #dataplane: Dataplane | null;
  readonly #ledger = new Ledger();
  readonly #window = new Window(this.#ledger);

  constructor(settings: NamesSettings, ovn: Ovn, dataplane: Dataplane | null) {
    this.#settings = settings;
    this.#ovn = ovn;
    this.#dataplane = dataplane;
  }

  async run(): Promise<Measured> {
    const sight = await SetsSight.open(this.#ovn.nb, this.#window.take);
    const dns = await DnsServer.open(this.#ttl, this.#ledger);
    try {
      const { before, begun, ...measured } = await this.#measure(sight, dns);
      return { ...measured, floor: await this.#floor(before, begun) };
    } finally {
      await dns.close();
      sight.close();
    }
  }

  get #ttl(): number {
    return this.#settings.names / this.#settings.rate;
  }

  async #measure(sight: SetsSight, dns: DnsServer) {
    const { source, seconds } = this.#settings;
    const tapPort = await freePort();
    const program = NamesProgram.start(
      this.#ovn.nb,
      objects(source === "poll" ? range(this.#settings.names).map(nameOf) : [wildcard]),
      ...[`--names=${source}`, `--names-servers=127.0.0.1:${dns.port}`],
      ...(source === "poll" ? [] : [`--names-bind-address=127.0.0.1:${tapPort}`]),
    );
    let sender: TapSender | null = null;
    try {
      await this.#until(() => program.isReady);
      if (source === "dnstap")
        sender = await TapSender.open(tapPort, {
          ...this.#settings,
          nameOf,
          ttl: this.#ttl,
          ledger: this.#ledger,
        });
      await this.#until(() => sight.size >= this.#settings.names);
      await sleep((this.#ttl + graceSeconds) * 1_000);
      await this.#dataplane?.settled();

      const [before, begun] = [sight.held(), performance.now()];
      this.#window.open();
      const start = await this.#reading(program);
      const flows = await this.#flowsDuring(seconds * 1_000);
      const end = await this.#reading(program);
      const per = (pick: (one: Reading) => number) =>
        (pick(end) - pick(start)) / ((end.at - start.at) / 1_000);
      return {
        ...{ settings: this.#settings, before, begun, flows, held: sight.size, ...this.#window.close() },
        ...{ cpuMs: per((one) => one.cpuMs), serverCpuMs: per((one) => one.serverCpuMs) },
        ...{ rssMiB: end.rssMiB, answers: end.answers - start.answers },
        ...{
          transactions: end.transactions - start.transactions,
          operations: end.operations - start.operations,
        },
      };
    } finally {
      sender?.close();
      await program.stop();
    }
  }

  /** What happened so far. */
  async #reading(program: NamesProgram): Promise<Reading> {
    const [answers, transactions, operations] = [
      await program.metric("northgate_names_answers_total", '"answered"'),
      await program.metric("northgate_nb_transactions_total"),
      await program.metric("northgate_nb_operations_total", '"Address_Set"'),
    ];
    const { cpuMs, rssBytes } = program.usage();
    const rssMiB = rssBytes / 2 ** 20;
    return {
      at: performance.now(),
      answers,
      transactions,
      operations,
      cpuMs,
      rssMiB,
      serverCpuMs: this.#serverCpuMs(),
    };
  }

  #serverCpuMs(): number {
    return usageOf(this.#ovn.pids().get("nb") ?? NaN).cpuMs;
  }

  /** For so long; of some addresses until their flows stand. */
  async #flowsDuring(ms: number): Promise<Measured["flows"]> {
    const dataplane = this.#dataplane;
    const begun = performance.now();
    if (dataplane === null) {
      await sleep(ms);
      return null;
    }
    const [before, reached] = [dataplane.cpu(), [] as Promise<Reach>[]];
    while (performance.now() - begun < ms) {
      this.#window.next((sentAt, seenAt) => reached.push(dataplane.reach(sentAt, seenAt, before)));
      await sleep(flowsEveryMs);
    }
    const after = dataplane.cpu();
    const seconds = (performance.now() - begun) / 1_000;
    const all = await Promise.all(reached);
    return {
      delayMs: spread(all.map(({ flowsMs }) => flowsMs)),
      cpu: each((name) => (after[name] - before[name]) / seconds),
    };
  }

  async #floor(before: ReadonlyMap<string, readonly string[]>, begun: number): Promise<Measured["floor"]> {
    const floor = await Floor.open(this.#ovn.nb, this.#ledger, before, [...this.#window.changes]);
    try {
      await this.#dataplane?.settled();
      // What was written just now is seen.
      await sleep(settleMs);
      this.#window.open();
      const [at, cpuMs] = [performance.now(), this.#serverCpuMs()];
      await floor.run(begun);
      await sleep(lookMs);
      const seconds = (performance.now() - at) / 1_000;
      const { delayMs } = this.#window.close();
      return { delayMs, serverCpuMs: (this.#serverCpuMs() - cpuMs) / seconds };
    } finally {
      floor.close();
    }
  }

  async #until(holds: () => boolean): Promise<void> {
    const { patienceMs } = this.#settings;
    const begun = performance.now();
    while (!holds()) {
      if (performance.now() - begun > patienceMs)
        throw new Error(`not so after ${patienceMs / 1_000} s: ${String(holds)}`);
      await sleep(lookMs);
    }
  }
}

/** Since the start. */
interface Reading extends Counted {
  readonly at: number;
}
