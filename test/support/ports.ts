// What a test's database has: none of our rows any more, and logical switch ports for the pods of its worlds, so that port
// groups can refer to them.

import type { WorldObject } from "../../src/model/object.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";

/** Removes every port group, with its ACLs, and every address set. */
export async function clearRows(ovn: Ovn): Promise<void> {
  await ovn.nbctl("--all", "destroy", "Port_Group", "--", "--all", "destroy", "Address_Set");
}

/** The one switch, made anew with these ports. */
export async function makeSwitch(ovn: Ovn, ports: Iterable<string>): Promise<void> {
  await ovn.nbctl("--if-exists", "ls-del", "sw");
  await ovn.nbctl("ls-add", "sw", ...[...ports].flatMap((name) => ["--", "lsp-add", "sw", name]));
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
