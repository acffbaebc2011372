// What becomes of one policy object: compiled by its dialect and admitted by the Northbound backend, as the engine does it.

import { Engine } from "../../src/controller/engine.ts";
import type { PolicyRecord } from "../../src/controller/engine.ts";
import { dialects } from "../../src/dialects.ts";
import { Groups } from "../../src/groups/index.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { Preview } from "../../src/nbdb/desired/preview.ts";

export function recordOf(object: PolicyObject): PolicyRecord {
  const groups = new Groups();
  const backend = new Preview(groups, { zone: null, namedPorts: "list" });
  const engine = new Engine({ dialects, groups, backend, families: ["v4"] });
  engine.observe(keyOf(object), object);
  const record = engine.record(keyOf(object));
  if (record === null) throw new Error(`${object.name} was not taken in`);
  return record;
}
