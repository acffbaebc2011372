// What a test's database has: none of our rows any more, and logical switch ports for the pods of its worlds, so that port
// groups can refer to them.

import type { WorldObject } from "../../src/model/object.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { transact } from "../../tools/sandbox/transaction.ts";

const database = "OVN_Northbound";

/** Removes every port group, with its ACLs, and every address set. */
export async function clearRows(ovn: Ovn): Promise<void> {
  const tables = ["Port_Group", "Address_Set"];
  await transact(
    ovn.nb,
    database,
    tables.map((table) => ({ op: "delete", table, where: [] })),
  );
}

/** The one switch, made anew with these ports. */
export async function makeSwitch(ovn: Ovn, ports: Iterable<string>): Promise<void> {
  const names = [...ports];
  const ids = names.map((_, at) => ["named-uuid", `port${at}`]);
  await transact(ovn.nb, database, [
    { op: "delete", table: "Logical_Switch", where: [["name", "==", "sw"]] },
  ]);
  await transact(ovn.nb, database, [
    { op: "insert", table: "Logical_Switch", row: { name: "sw", ports: ["set", ids] } },
    ...names.map((name, at) => ({
      ...{ op: "insert", table: "Logical_Switch_Port", "uuid-name": `port${at}` },
      row: { name },
    })),
  ]);
}

/** A switch with a port for every pod. */
export async function addPorts(ovn: Ovn, objects: readonly WorldObject[]): Promise<void> {
  const names = new Set<string>();
  for (const object of objects) {
    if (object.kind === "Pod" && "namespace" in object)
      names.add(portName(object.namespace ?? "", object.name));
  }
  await makeSwitch(ovn, names);
}
