// What makes an alert fire in earnest: a fault of the program, or of what is around it, and how it is mended.

import { setTimeout as sleep } from "node:timers/promises";
import type { ArenaOptions } from "../arena/arena.ts";
import { dnsAddress, tapsPort } from "./dns.ts";
import type { AlertStage, StageOptions } from "./stage.ts";

/** What the stage of a fault is like; faults of one ground share a stage, one after the other. */
export const grounds = {
  /** Two instances on a real API server. */
  api: { instances: 2, source: "api", args: ["--source-timeout=3"] },
  /** The same where a minute of the rules is 10 s: what the alert counts takes the program's own time, its pauses or its starts. */
  patient: { instances: 2, source: "api", args: ["--source-timeout=3"] },
  /** The same, which resolve names of domains. */
  names: {
    ...{ instances: 2, source: "api" },
    args: ["--source-timeout=3", "--names=poll", `--names-servers=${dnsAddress.join(":")}`],
  },
  /** One instance, to which a DNS server sends what it answers. */
  taps: {
    instances: 1,
    args: [
      ...["--names=dnstap", `--names-servers=${dnsAddress.join(":")}`],
      `--names-bind-address=${dnsAddress[0]}:${tapsPort}`,
    ],
  },
  /** One instance for one zone. */
  zone: { instances: 1, zone: "n1" },
  /** One instance, whose processor is taken away. */
  starved: { instances: 1 },
  /** One instance that asks the chassis for each change. */
  chassis: { instances: 1, args: ["--wait=hv", "--wait-timeout=600"] },
  /** One instance, and beside it a node with packets and a reader of its switch. */
  node: { instances: 1 },
} as const satisfies Readonly<Record<string, Partial<ArenaOptions>>>;
export type Ground = keyof typeof grounds;

export const stageOptions: Readonly<Partial<Record<Ground, StageOptions>>> = {
  patient: { minute: 10 },
  chassis: { northd: true },
  node: { reader: true },
};

export function arenaOf(ground: Ground): ArenaOptions {
  return { servers: 1, differ: false, edits: "all", ...grounds[ground] };
}

export interface AlertFault {
  readonly alert: string;
  /** What is done, for the table. */
  readonly fault: string;
  readonly mended: string;
  readonly ground: Ground;
  /** Most milliseconds until it fires, and until it has cleared. */
  readonly firesMs: number;
  readonly clearsMs: number;
  /** Resolves with what mends it, when the fault is made or goes on being made. */
  make(stage: AlertStage): Promise<() => Promise<void>>;
}

/** An alert may have several. */
export function keyOf({ alert, fault }: Pick<AlertFault, "alert" | "fault">): string {
  return `${alert}: ${fault}`;
}

/** Does it again and again until it is told to stop; the first failure is told then. */
export function again(everyMs: number, action: () => Promise<void>): () => Promise<void> {
  const end = new AbortController();
  const doing = (async () => {
    while (!end.signal.aborted) {
      await action();
      await sleep(everyMs);
    }
  })();
  doing.catch(() => undefined);
  return async () => {
    end.abort();
    await doing;
  };
}
