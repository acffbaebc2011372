// A private OVN on which shapes of matches are tried: one switch with a chassis on which all its pods are, one port group
// with some of them, and address sets of pods that are elsewhere. ACLs come and go as the ports' group does.

import { performance } from "node:perf_hooks";
import { macOf, portOf } from "../../tools/sandbox/topology.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { pod } from "../../test/support/facts.ts";
import { prepare, Wire } from "../observer/wire.ts";
import type { WireOperation } from "../floor/operations.ts";
import { Dataplane, type Reach } from "../run/reach.ts";
import { networks, type SetOf } from "./catalogue.ts";

export interface Size {
  readonly rules: number;
  /** Addresses of each of a rule's two sets. */
  readonly addresses: number;
  /** Ports of the group, all on the chassis. */
  readonly subjects: number;
}

const text = (items: readonly string[]) => ["set", items];
const range = (length: number) => Array.from({ length }, (_, at) => at);
const v4 = (at: number, network: number) => `10.${network}.${at >> 8}.${at & 255}`;
const v6 = (at: number, network: number) => `fd00:${network}::${(at + 1).toString(16)}`;

export class Ground {
  readonly dataplane: Dataplane;
  readonly #ovn: Ovn;
  readonly #nb: Wire;
  readonly #size: Size;

  private constructor(ovn: Ovn, nb: Wire, dataplane: Dataplane, size: Size) {
    this.#ovn = ovn;
    this.#nb = nb;
    this.dataplane = dataplane;
    this.#size = size;
  }

  static async open(size: Size, patienceMs: number): Promise<Ground> {
    const ovn = await startOvn();
    try {
      const nb = await Wire.open(ovn.nb);
      const pods = range(size.subjects).map((at) => pod("a", `p${at}`, { ips: [v4(at, 128), v6(at, 128)] }));
      await transact(nb, [
        ...pods.map((one, at) => ({
          ...{ op: "insert", table: "Logical_Switch_Port", "uuid-name": `p${at}` },
          row: { name: portOf(one), addresses: [macOf(one), ...one.ips].join(" ") },
        })),
        {
          ...{ op: "insert", table: "Logical_Switch" },
          row: { name: "node", ports: ["set", pods.map((_, at) => ["named-uuid", `p${at}`])] },
        },
        ...setsOf(size),
      ]);
      const dataplane = await Dataplane.open(ovn, pods.map(portOf), patienceMs);
      return new Ground(ovn, nb, dataplane, size);
    } catch (error) {
      await ovn.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#nb.close();
    await this.dataplane.close();
    await this.#ovn.stop();
  }

  /** The rules come, in one transaction; each match is an ACL at its rule's priority. What only drops needs no connection tracking. */
  come(
    matches: readonly (readonly string[])[],
    action: "allow-related" | "drop" = "allow-related",
  ): Promise<Reach> {
    const acls = matches.flatMap((all, i) =>
      all.map((match, k) => ({
        ...{ op: "insert", table: "ACL", "uuid-name": `acl${i}x${k}` },
        row: { action, direction: "to-lport", tier: 1, priority: 30_000 - i, match },
      })),
    );
    const select = range(this.#size.subjects).map((at) => `a_p${at}`);
    return this.#measured(async () => {
      const ports = await this.#uuidsOf(select);
      const references = acls.map((acl) => ["named-uuid", acl["uuid-name"]]);
      const group = { name: "pg", ports: ["set", ports], acls: ["set", references] };
      await transact(this.#nb, [...acls, { op: "insert", table: "Port_Group", row: group }]);
    });
  }

  async go(): Promise<void> {
    await transact(this.#nb, [{ op: "delete", table: "Port_Group", where: [["name", "==", "pg"]] }]);
    await this.dataplane.settled();
  }

  /** A pod that comes to (or goes from) these sets. */
  element(sets: readonly SetOf[], at: number, mutator: "insert" | "delete"): Promise<Reach> {
    const address = { v4: v4(at, 200), v6: v6(at, 200) };
    return this.#measured(() =>
      transact(
        this.#nb,
        sets.map(({ name, family }) => ({
          ...{ op: "mutate", table: "Address_Set", where: [["name", "==", name]] },
          mutations: [["addresses", mutator, text([address[family]])]],
        })),
      ),
    );
  }

  async #measured(write: () => Promise<void>): Promise<Reach> {
    const before = this.dataplane.cpu();
    const started = performance.now();
    await write();
    return this.dataplane.reach(started, performance.now(), before);
  }

  async #uuidsOf(names: readonly string[]): Promise<readonly unknown[]> {
    const selects = names.map((name) => ({
      ...{ op: "select", table: "Logical_Switch_Port", where: [["name", "==", name]], columns: ["_uuid"] },
    }));
    const answer = await this.#nb.send(prepare("transact", ["OVN_Northbound", ...selects]));
    return (answer as readonly { rows: readonly { _uuid: unknown }[] }[]).map(({ rows }) => rows[0]?._uuid);
  }
}

/** Of two selectors that select other pods, of one that overlaps the first, of the union a rule, of networks, of everything. */
function setsOf({ rules, addresses }: Size): readonly WireOperation[] {
  const [a, b] = [range(addresses).map((at) => v4(at, 1)), range(addresses).map((at) => v4(at, 2))];
  const over = [...a.slice(addresses / 2), ...b.slice(addresses / 2)];
  const set = (name: string, all: readonly string[]) => ({
    ...{ op: "insert", table: "Address_Set", row: { name, addresses: text(all) } },
  });
  return [
    ...[set("a", a), set("b", b), set("over", over)],
    ...[1, 2].map((network) =>
      set(
        network === 1 ? "a6" : "b6",
        range(addresses).map((at) => v6(at, network)),
      ),
    ),
    ...[set("networks", networks()), set("every", ["0.0.0.0/0"])],
    ...range(rules).map((i) => set(`u${i}`, [...a, ...b])),
  ];
}

async function transact(nb: Wire, operations: readonly WireOperation[]): Promise<void> {
  await nb.transact(prepare("transact", ["OVN_Northbound", ...operations]));
}
