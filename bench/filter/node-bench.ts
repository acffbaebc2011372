// One backend on one node, measured beside the same texts written by hand.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import type { FilterCounts } from "../../src/netfilter/live/actual.ts";
import { countsOf } from "../../src/netfilter/live/actual.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { Variant } from "../../test/netfilter/tools.ts";
import { pod } from "../../test/support/facts.ts";
import { FedGroups } from "../../test/support/fed-groups.ts";
import { groupsOf } from "../../test/support/groups-of.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";
import type { Recorded } from "./recorded.ts";
import { recorded } from "./recorded.ts";
import type { Size } from "./workload.ts";
import { large, own, see, small, wide, wideCount, wideLabels } from "./workload.ts";

export interface Times {
  readonly what: string;
  /** Milliseconds. */
  readonly own: readonly number[];
  readonly floor: readonly number[];
}

const [events, edits] = [40, 20];

export class NodeBench {
  readonly #groups = new FedGroups();
  readonly #recorded: Recorded;
  readonly #backend: NetfilterBackend;
  readonly #known = new Map<string, Policy>();
  readonly #size: Size;

  constructor(variant: Variant, size: Size, node: NamespaceProcess, second: NamespaceProcess) {
    this.#size = size;
    this.#recorded = recorded(variant, node, second);
    const { filter, language } = this.#recorded;
    this.#backend = new NetfilterBackend({
      ...{ filter, language, membership: this.#groups, zone: own, kinds: [], logger: silentLogger },
      ...{ mayExist: () => false, clock: systemClock },
    });
    this.#backend.serve(["v4", "v6"]);
  }

  /** Of what was written. */
  get counts(): FilterCounts {
    return countsOf(this.#recorded.filter.known);
  }

  async run(): Promise<readonly Times[]> {
    await this.#backend.sight.lookAgain();
    see(this.#groups, this.#size);
    for (let at = 0; at < this.#size.policies; at++) this.#apply(small(this.#size, at));
    for (let at = 0; at < wideCount; at++) this.#apply(wide(at));
    this.#apply(large(1000));
    const come = (labels: Readonly<Record<string, string>>, ipsOf: (at: number) => readonly string[]) => {
      return (at: number) => {
        const ips = ipsOf(at) as readonly IpAddress[];
        this.#groups.setPod(pod("ns1", "fresh", { node: own, labels: { app: "a1", ...labels }, ips }));
      };
    };
    const [v4, v6] = [
      (at: number) => `10.200.0.${at + 1}`,
      (at: number) => `fd00:c8::${(at + 1).toString(16)}`,
    ];
    return [
      await this.#measure("cold start", 1, () => undefined),
      await this.#measure(
        "a pod of one policy",
        events,
        come({}, (at) => [v4(at), v6(at)]),
      ),
      await this.#measure(
        `a pod in ${wideCount} sets`,
        events,
        come(wideLabels, (at) => [v4(at)]),
      ),
      await this.#measure(
        `a pod in ${wideCount} sets of each family`,
        events,
        come(wideLabels, (at) => [v4(at + 100), v6(at + 100)]),
      ),
      await this.#measure("an edit of 20 rules", edits, (at) => {
        this.#apply(large(2000 + at));
      }),
    ];
  }

  stop(): void {
    this.#recorded.stop();
  }

  #apply(policy: Policy): void {
    for (const group of groupsOf(policy)) this.#groups.retain(group);
    this.#backend.upsert(policy);
    for (const group of this.#known.has(policy.key) ? groupsOf(policy) : []) this.#groups.release(group);
    this.#known.set(policy.key, policy);
  }

  async #measure(what: string, times: number, change: (at: number) => void): Promise<Times> {
    const result = { what, own: [] as number[], floor: [] as number[] };
    for (let at = 0; at < times; at++) {
      change(at);
      this.#recorded.forget();
      const begun = performance.now();
      this.#backend.touch(this.#groups.drain());
      const { interrupted, refused } = await this.#backend.commit();
      result.own.push(performance.now() - begun);
      if (interrupted !== null || refused.size > 0) throw new Error(`${what}: ${interrupted ?? "refused"}`);
      if (this.#recorded.writes.length === 0) throw new Error(`${what}: nothing was written`);
      result.floor.push(await this.#replayed());
    }
    return result;
  }

  /** The texts of both families at a time, as the backend runs them. */
  async #replayed(): Promise<number> {
    const begun = performance.now();
    const [first, ...others] = this.#recorded.writes;
    // Sets come before rules.
    await first?.();
    await Promise.all(others.map((write) => write()));
    return performance.now() - begun;
  }
}
