// What the harnesses of packet filters have in common: the backend on a filter, which is read again and again, and tools that cannot
// always be run.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import { FilterLostError } from "../../src/netfilter/live/filter-tools.ts";
import { FilterWatch } from "../../src/netfilter/live/filter-watch.ts";
import type { FilterLanguage } from "../../src/netfilter/live/language.ts";
import type { LiveFilter } from "../../src/netfilter/live/live-filter.ts";
import type { Harness } from "./harness.ts";
import { contractOwners } from "./policies.ts";

/** The tools, as a program meets them that cannot always run them. Counts the lines that were in force. */
export class Gate {
  #isCut = false;
  #losesNext = false;
  written = 0;

  cut(): void {
    this.#isCut = true;
  }

  loseNext(): void {
    this.#losesNext = true;
  }

  restore(): void {
    this.#isCut = false;
    this.#losesNext = false;
  }

  read<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isCut) return Promise.reject(new FilterLostError("the tool cannot be run"));
    return ask();
  }

  /** `isLast`: of a commit. */
  async write(text: string, isLast: boolean, change: () => Promise<void>): Promise<void> {
    await this.read(change);
    this.written += text.split("\n").length - 1;
    if (!isLast || !this.#losesNext) return;
    this.#losesNext = false;
    this.#isCut = true;
    throw new FilterLostError("the tool ended without an answer");
  }
}

/** Tools, and the way to an empty node. */
export interface TestNode<Tools> {
  readonly tools: Tools;
  /** Milliseconds between two readings. */
  readonly intervalMs: number;
  readonly clear: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

export interface FilterNode
  extends Omit<TestNode<unknown>, "tools">, Pick<Harness, "snapshot" | "plantForeign" | "block" | "unblock"> {
  readonly gate: Gate;
  readonly language: FilterLanguage;
  /** One that has read nothing. */
  filter(): LiveFilter;
}

const refuses = new Set([
  "a rule about a load balancer's connections that follows none",
  "a name of the source's ports",
  "names of both ends",
  "ports that the destination does not declare",
  "ports that the source does not declare",
  "no ports but those that nobody declares",
  "declared ports of both ends, at the addresses of a network, in ingress",
  "declared ports of both ends, at the addresses of a network, in egress",
  "allows that follow no connections, before a deny",
]);

export function filterHarness(node: FilterNode): Harness {
  const { gate, language, intervalMs } = node;
  let watch: FilterWatch | null = null;
  const end = async () => {
    await watch?.stop();
    watch = null;
    gate.restore();
    gate.written = 0;
  };
  return {
    refuses,
    snapshot: () => node.snapshot(),
    plantForeign: () => node.plantForeign(),
    block: (policy) => node.block(policy),
    unblock: (policy) => node.unblock(policy),
    connect: end,
    backend: ({ membership, mayExist }) => {
      const backend = new NetfilterBackend({
        ...{ filter: node.filter(), language, membership, mayExist, zone: null },
        ...{ clock: systemClock, kinds: [...contractOwners.values()], logger: silentLogger },
      });
      watch = new FilterWatch({
        ...{ sight: backend.sight, clock: systemClock, intervalMs },
        glanceMs: intervalMs / 3,
        retryMs: intervalMs,
        fatal: (error) => {
          throw error;
        },
      });
      return backend;
    },
    written: () => gate.written,
    cut: () => {
      gate.cut();
    },
    restore: () => {
      gate.restore();
    },
    loseNextAnswer: () => {
      gate.loseNext();
    },
    clear: async () => {
      await end();
      await node.clear();
    },
    dispose: async () => {
      await end();
      await node.dispose();
    },
  };
}
