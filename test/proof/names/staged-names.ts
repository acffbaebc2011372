// The names of a controller as a run has them, but for DNS and time, which are the test's: it learns the answers that it is given, and
// they are over when the test says.

import { silentLogger } from "../../../src/lib/logger.ts";
import { parseCidr } from "../../../src/model/ip.ts";
import type { HostNameFact } from "../../../src/model/facts.ts";
import { Names } from "../../../src/names/index.ts";
import type { NamesParts } from "../../support/controller.ts";
import { HandClock } from "../../support/scripted-api.ts";
import type { Answered } from "./answers.ts";
import { plainName, serviceNetworks } from "./answers.ts";

export const usualTtl = 30;
/** As docs/names.md has it: an address counts until the TTL of its last answer is over and 5 s more. */
export const graceSeconds = 5;

export class StagedNames {
  readonly names: Names;
  readonly #clock = new HandClock();
  /** All that were ever answered. */
  readonly #answered = new Set<string>();

  constructor({ source, groups, held }: NamesParts) {
    this.names = new Names({
      ...{ source, held, minTtlMs: 0, clusterDomain: "cluster.local" },
      serviceNetworks: serviceNetworks.flatMap((text) => parseCidr(text) ?? []),
      ask: () => Promise.reject(new Error("no server is known, so that none is asked")),
      asked: () => groups.namesAsked,
      ...{ clock: this.#clock, logger: silentLogger },
      fatal: (error) => {
        queueMicrotask(() => {
          throw error;
        });
      },
    });
    this.names.start();
  }

  /** One answer a family, as a DNS server of the cluster sends them. */
  learn(answered: readonly Answered[], ttl = usualTtl): void {
    const at = this.#clock.now();
    for (const { name, addresses } of answered) {
      this.#answered.add(plainName(name));
      for (const family of ["v4", "v6"] as const) {
        const own = addresses.filter((text) => text.includes(":") === (family === "v6"));
        const outcome = own.length === 0 ? "no-data" : "answered";
        const list = own.map((ip) => ({ ip, ttl }));
        this.names.answers.learn({ name, family, outcome, addresses: list, at, source: "10.244.0.2" });
      }
    }
  }

  /** DNS fails for the name, of both families. */
  fail(name: string): void {
    const at = this.#clock.now();
    for (const family of ["v4", "v6"] as const)
      this.names.answers.learn({ name, family, outcome: "failed", addresses: [], at, source: "10.244.0.2" });
  }

  /** Seconds go by, one after the other. */
  elapse(seconds: number): void {
    for (let second = 0; second < seconds; second++) this.#clock.elapse(1_000);
  }

  /** What names lead to, where that is not what they are meant to lead to, and policies ask for them. */
  misheard(meant: readonly HostNameFact[]): readonly string[] {
    const wanted = new Map(meant.map(({ name, ips }) => [name, ips.toSorted().join()]));
    return [...this.#answered].flatMap((name) => {
      const has = this.names.answers.fact(name)?.ips.toSorted().join();
      if (has === undefined || has === (wanted.get(name) ?? "")) return [];
      return [`${name} leads to ${has}, and is meant to lead to ${wanted.get(name) ?? "nothing"}`];
    });
  }
}
