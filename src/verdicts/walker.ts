// Walks a list of entries for ends that declare certain ports: what a list matches follows from the cuts of the traffic,
// the family and these ports. What an entry without names of ports matches is worked out once.

import type { PortsId } from "./ends/declared-ports.ts";
import type { Entry } from "./entries.ts";
import type { Frame } from "./frame.ts";
import type { ListId } from "./lists.ts";
import type { Traffic, TrafficCuts } from "./traffic.ts";
import { asksNames } from "./traffic.ts";
import type { Walked } from "./walk.ts";
import { walk } from "./walk.ts";

export class Walker {
  readonly #cuts: TrafficCuts;
  /** What is walked: all that the verdicts are asked about. */
  readonly #all: Traffic;
  readonly #frame: Pick<Frame, "family" | "declared" | "lists">;
  readonly #plain = new Map<Entry, Traffic>();
  #steps = 0;

  constructor(frame: Pick<Frame, "family" | "declared" | "lists">, cuts: TrafficCuts, all: Traffic) {
    this.#cuts = cuts;
    this.#frame = frame;
    this.#all = all;
  }

  /** How many entries had a say in them. */
  get steps(): number {
    return this.#steps;
  }

  /** Whether what the list matches depends on what the ends declare. */
  hasNames(list: ListId): boolean {
    return this.#frame.lists.hasNames(list);
  }

  walk(list: ListId, ports: PortsId): Walked {
    const walked = walk(
      this.#frame.lists.entries(list),
      (entry) => this.#plain.get(entry) ?? this.#matched(entry, ports),
      this.#all,
    );
    this.#steps += walked.says.length;
    return walked;
  }

  #matched(entry: Entry, ports: PortsId): Traffic {
    const { family, declared } = this.#frame;
    const matched = this.#cuts.of(entry, family, declared.at(ports));
    if (entry.ports?.some(asksNames) !== true) this.#plain.set(entry, matched);
    return matched;
  }
}
