// What the numbers and addresses of samples mean: a number is Sample.metadata, and the ACL that refers to the row has a rule; an address
// is that of a port in SB, whose name says its pod. Follows both databases and writes to none. What has ended is kept for an hour.

import type { IpAddress } from "../../model/ip.ts";
import { parseIp } from "../../model/ip.ts";
import { Timeline } from "../../observe/decode/timeline.ts";
import type { PodName } from "../../observe/decode/event.ts";
import type { ObservedDatabases } from "../../observe/flows.ts";
import type { ObservedRule } from "../../observe/rule.ts";
import type { SampleSource } from "../../observe/decode/source.ts";
import type { SocketSession } from "../../ovsdb/index.ts";
import { openSession } from "../../ovsdb/index.ts";
import { keys, podOfPort, samplingOwnerType } from "../rows/names.ts";
import { faultsOf } from "./faults.ts";
import { ruleOfAcl } from "./rule-of-acl.ts";
import type { SampledNorthbound, SampledSouthbound } from "./schema.ts";
import { podMonitors, sampledNorthbound, sampledSouthbound } from "./schema.ts";

/** Addresses are given to other pods: a packet comes some seconds after its pod's end at most. */
const addressGraceMs = 5_000;
const pruneMs = 60_000;

export class DatabaseSamples implements SampleSource {
  readonly #nb: SocketSession<SampledNorthbound>;
  readonly #sb: SocketSession<SampledSouthbound>;
  readonly #rules = new Timeline<number, ObservedRule>(Infinity);
  readonly #pods = new Timeline<IpAddress, PodName>(addressGraceMs);
  readonly #now: () => number;
  /** By the uuid of the port. */
  readonly #addresses = new Map<string, readonly IpAddress[]>();
  #numbers: ReadonlyMap<number, ObservedRule> = new Map();
  /** When NB changed first since its numbers were read. */
  #changedMs: number | null = 0;
  #prunedMs = 0;

  /** `now`: milliseconds since 1970. */
  constructor({ nb, sb, tls, clock, logger }: ObservedDatabases, now: () => number) {
    this.#now = now;
    const common = { clock, logger, ...(tls === null ? {} : { tls }) };
    const monitors = { ACL: {}, Sample: {}, Sample_Collector: {}, Sampling_App: {} };
    this.#nb = openSession({ ...common, remotes: nb, database: sampledNorthbound, monitors });
    this.#sb = openSession({ ...common, remotes: sb, database: sampledSouthbound, monitors: podMonitors });
    this.#nb.subscribe({
      changed: () => {
        this.#changedMs ??= this.#now();
      },
    });
    this.#sb.subscribe({
      changed: (changes) => {
        for (const { uuid, after } of changes) this.#follow(uuid, after);
      },
    });
  }

  get setId(): number | null {
    const rows = [...this.#nb.cache.table("Sample_Collector").entries()].map(([, row]) => row);
    const own = rows.find((row) => row.external_ids.get(keys.ownerType) === samplingOwnerType);
    return own?.set_id ?? null;
  }

  connectionOf(app: number): "new" | "established" | null {
    for (const [, row] of this.#nb.cache.table("Sampling_App").entries())
      if (row.id === app)
        return row.type === "acl-new" ? "new" : row.type === "acl-est" ? "established" : null;
    return null;
  }

  ruleAt(number: number, atMs: number): ObservedRule | null {
    this.#refresh();
    return this.#rules.at(number, atMs);
  }

  podAt(ip: IpAddress, atMs: number): PodName | null {
    return this.#pods.at(ip, atMs);
  }

  faults(): readonly string[] {
    return faultsOf(this.#nb, this.#sb);
  }

  async close(): Promise<void> {
    await Promise.all([this.#nb.close(), this.#sb.close()]);
  }

  /** Rules are read when one is asked for, as of the first change since. */
  #refresh(): void {
    if (this.#changedMs === null) return;
    const next = this.#numbersNow();
    for (const number of this.#numbers.keys())
      if (!next.has(number)) this.#rules.set(number, null, this.#changedMs);
    for (const [number, rule] of next) {
      const before = this.#numbers.get(number);
      if (before === undefined || !isSame(before, rule)) this.#rules.set(number, rule, this.#changedMs);
    }
    this.#numbers = next;
    this.#changedMs = null;
    this.#prune();
  }

  #numbersNow(): ReadonlyMap<number, ObservedRule> {
    const samples = this.#nb.cache.table("Sample");
    const found = new Map<number, ObservedRule>();
    for (const [uuid, acl] of this.#nb.cache.table("ACL").entries()) {
      for (const sample of new Set([acl.sample_new, acl.sample_est])) {
        const row = sample === null ? undefined : samples.get(sample);
        if (row !== undefined) found.set(row.metadata, ruleOfAcl(acl, uuid));
      }
    }
    return found;
  }

  #follow(
    uuid: string,
    port: { readonly logical_port: string; readonly mac: Iterable<string> } | null,
  ): void {
    const pod = port === null ? null : podOfPort(port.logical_port);
    const addresses = port === null || pod === null ? [] : addressesIn(port.mac);
    const now = this.#now();
    for (const ip of this.#addresses.get(uuid) ?? [])
      if (!addresses.includes(ip) && !this.#isElsewhere(ip, uuid)) this.#pods.set(ip, null, now);
    for (const ip of addresses) {
      const before = this.#pods.at(ip, now);
      if (pod !== null && (before?.namespace !== pod.namespace || before.name !== pod.name))
        this.#pods.set(ip, pod, now);
    }
    if (addresses.length === 0) this.#addresses.delete(uuid);
    else this.#addresses.set(uuid, addresses);
    this.#prune();
  }

  /** Another port has the address already: the pod of before has ended later than the next one began. */
  #isElsewhere(ip: IpAddress, uuid: string): boolean {
    for (const [other, addresses] of this.#addresses)
      if (other !== uuid && addresses.includes(ip)) return true;
    return false;
  }

  #prune(): void {
    const now = this.#now();
    if (now - this.#prunedMs < pruneMs) return;
    this.#prunedMs = now;
    this.#rules.prune(now);
    this.#pods.prune(now);
  }
}

/** `0a:58:0a:f4:01:05 10.244.1.5 fd00::5`; words for `router` and `dynamic` are none. */
function addressesIn(mac: Iterable<string>): readonly IpAddress[] {
  return [...mac].flatMap((text) => text.split(" ").flatMap((word) => parseIp(word) ?? []));
}

function isSame(one: ObservedRule, other: ObservedRule): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
