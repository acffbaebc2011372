// Logical switch ports for every pod that a test's worlds hold, so that port groups can refer to them.

import type { WorldObject } from "../../src/model/object.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";

export async function addPorts(ovn: Ovn, objects: readonly WorldObject[]): Promise<void> {
  const names = new Set<string>();
  for (const object of objects) {
    if (object.kind === "Pod" && "namespace" in object)
      names.add(portName(object.namespace ?? "", object.name));
  }
  await ovn.nbctl("ls-add", "sw", ...[...names].flatMap((name) => ["--", "lsp-add", "sw", name]));
}
