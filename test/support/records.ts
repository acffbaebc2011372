// What becomes of one policy object: compiled by its dialect and admitted by the Northbound backend, as the engine does it.

import type { PolicyRecord } from "../../src/controller/engine.ts";
import { dialects } from "../../src/dialects.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { offlineModel } from "../../src/offline/rendered.ts";

export function recordOf(object: PolicyObject): PolicyRecord {
  const mode = { zone: null, namedPorts: "list" } as const;
  const record = offlineModel({ objects: [object], dialects, families: ["v4"], mode }).record(keyOf(object));
  if (record === null) throw new Error(`${object.name} was not taken in`);
  return record;
}
