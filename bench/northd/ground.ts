// A private OVN without a chassis on which northd is measured: switches with ports, address sets, and the groups of one form.

import { setTimeout as sleep } from "node:timers/promises";
import type { OvnInstall } from "../../tools/sandbox/find-ovn.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import type { WireOperation } from "../floor/operations.ts";
import { uuidOf } from "../floor/uuid.ts";
import { prepare, Wire } from "../observer/wire.ts";
import { usageOf } from "../run/usage.ts";
import {
  type Form,
  peerSet,
  peerSets,
  portName,
  portsOf,
  range,
  restingName,
  type Size,
  subjectSet,
} from "./forms.ts";

/** Of one event. */
export interface Cost {
  /** CPU of northd. */
  readonly cpuMs: number;
  /** Whether the engine computed all logical flows again. */
  readonly recomputed: boolean;
}

const stillMs = 60;
const patienceMs = 300_000;
const perTransaction = 10;

export class NorthdGround {
  readonly #ovn: Ovn;
  readonly #nb: Wire;
  readonly #sb: Wire;
  #number = 0;

  private constructor(ovn: Ovn, nb: Wire, sb: Wire) {
    this.#ovn = ovn;
    this.#nb = nb;
    this.#sb = sb;
  }

  /** `install`: the OVN to use; the one that is found unless given. */
  static async open(form: Form, size: Size, install?: OvnInstall): Promise<NorthdGround> {
    const ovn = await startOvn(install === undefined ? {} : { install });
    try {
      const ground = new NorthdGround(ovn, await Wire.open(ovn.nb), await Wire.open(ovn.sb));
      for (const on of range(size.switches)) await ground.#write(switchRows(on, size));
      await ground.#write(setRows(size));
      for (let at = 0; at < form.groups.length; at += perTransaction)
        await ground.#write(form.groups.slice(at, at + perTransaction).flatMap(groupRows));
      await ground.#settled();
      return ground;
    } catch (error) {
      await ovn.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#nb.close();
    this.#sb.close();
    await this.#ovn.stop();
  }

  async cost(operations: readonly WireOperation[]): Promise<Cost> {
    const before = { cpuMs: this.#cpu(), recomputes: await this.#recomputes() };
    await this.#write(operations);
    await this.#settled();
    const cpuMs = this.#cpu() - before.cpuMs;
    return { cpuMs, recomputed: (await this.#recomputes()) > before.recomputes };
  }

  /** Resolves when SB has what northd makes of NB, and northd has nothing left to do. */
  async #settled(): Promise<void> {
    const number = ++this.#number;
    // northd makes the row of an empty database at its start.
    const made = { op: "wait", table: "NB_Global", where: [], columns: ["nb_cfg"], until: "!=", rows: [] };
    const raise = { op: "update", table: "NB_Global", where: [], row: { nb_cfg: number } };
    await this.#write([{ ...made, timeout: patienceMs }, raise]);
    const since = performance.now();
    while ((await this.#reached()) < number) {
      if (performance.now() - since > patienceMs)
        throw new Error(`after ${patienceMs / 1000} s SB lags behind`);
      await sleep(stillMs);
    }
    for (let used = -1; used !== this.#cpu();) {
      used = this.#cpu();
      await sleep(stillMs);
    }
  }

  /** The last number that northd has handed on. */
  async #reached(): Promise<number> {
    const select = { op: "select", table: "SB_Global", where: [], columns: ["nb_cfg"] };
    const answer = await this.#sb.send(prepare("transact", ["OVN_Southbound", select]));
    const [row] =
      (answer as readonly { readonly rows: readonly { readonly nb_cfg: number }[] }[])[0]?.rows ?? [];
    return row?.nb_cfg ?? 0;
  }

  #cpu(): number {
    const pid = this.#ovn.pids().get("northd");
    if (pid === undefined) throw new Error("northd does not run");
    return usageOf(pid).cpuMs;
  }

  async #recomputes(): Promise<number> {
    return recomputesOf(await this.#ovn.appctl("northd", "inc-engine/show-stats"), "lflow");
  }

  async #write(operations: readonly WireOperation[]): Promise<void> {
    await this.#nb.transact(prepare("transact", ["OVN_Northbound", ...operations]));
  }
}

/** How often a node of the engine was computed from nothing, as `inc-engine/show-stats` says it. */
export function recomputesOf(stats: string, node: string): number {
  const count = new RegExp(`^Node: ${node}\\n- recompute:\\s+(\\d+)`, "m").exec(stats)?.[1];
  if (count === undefined) throw new Error(`northd does not say how often it computed ${node}: ${stats}`);
  return Number(count);
}

const addressOf = (on: number, at: number) => `10.${on >> 8}.${on & 255}.${at + 2}`;
const uuids = (names: readonly string[]) => ["set", names.map((name) => ["uuid", uuidOf(name)])];

function switchRows(on: number, { ports }: Size): readonly WireOperation[] {
  const names = [...range(ports).map((at) => portName(on, at)), restingName(on)];
  return [
    ...names.map((name, at) => ({
      ...{ op: "insert", table: "Logical_Switch_Port", uuid: uuidOf(name) },
      row: { name, ...(at === ports ? {} : { addresses: `${macOf(on, at)} ${addressOf(on, at)}` }) },
    })),
    { op: "insert", table: "Logical_Switch", row: { name: `switch-${on}`, ports: uuids(names) } },
  ];
}

function macOf(on: number, at: number): string {
  const pair = (value: number) => value.toString(16).padStart(2, "0");
  return `0a:58:00:${pair(on >> 8)}:${pair(on & 255)}:${pair(at)}`;
}

function setRows(size: Size): readonly WireOperation[] {
  const set = (name: string, addresses: readonly string[]) => ({
    ...{ op: "insert", table: "Address_Set", row: { name, addresses: ["set", addresses] } },
  });
  return [
    ...range(peerSets).map((at) =>
      set(
        peerSet(at),
        range(400).map((k) => `10.${100 + at}.${k >> 8}.${k & 255}`),
      ),
    ),
    ...range(size.groups).map((at) =>
      set(
        subjectSet(at),
        portsOf(at, size).map((_, k) => `10.${200 + (at >> 6)}.${at & 63}.${k}`),
      ),
    ),
  ];
}

function groupRows({ name, ports, matches }: Form["groups"][number]): readonly WireOperation[] {
  const acls = matches.map((match, at) => ({
    ...{ op: "insert", table: "ACL", uuid: uuidOf(`${name} ${at}`) },
    row: {
      ...{ action: "allow-related", direction: "from-lport", tier: 1, priority: 30_000 - at, match },
      options: ["map", [["apply-after-lb", "true"]]],
    },
  }));
  const row = { name, ports: uuids(ports), acls: uuids(matches.map((_, at) => `${name} ${at}`)) };
  return [...acls, { op: "insert", table: "Port_Group", row }];
}
