// What becomes of one policy object: compiled by its dialect and admitted by the Northbound backend, as the engine does it.

import type { Engine, PolicyRecord } from "../../src/controller/engine.ts";
import { PolicyRecords } from "../../src/controller/records.ts";
import { everyDialect } from "../../src/dialects.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";

export function recordOf(object: PolicyObject): PolicyRecord {
  const mode = { zone: null, namedPorts: "list" } as const;
  const record = offlineModel({
    objects: [object],
    dialects: everyDialect.dialects,
    families: ["v4"],
    mode,
  }).record(keyOf(object));
  if (record === null) throw new Error(`${object.name} was not taken in`);
  return record;
}

/** An engine of which only its records are asked; `set` and `delete` are what its objects do. */
export class RecordedEngine implements Pick<Engine, "record" | "sharing"> {
  readonly all = new PolicyRecords();

  constructor(...records: readonly PolicyRecord[]) {
    this.set(...records);
  }

  record(key: PolicyRecord["key"]): PolicyRecord | null {
    return this.all.get(key) ?? null;
  }

  sharing(record: PolicyRecord): readonly PolicyRecord["key"][] {
    return this.all.sharing(record);
  }

  set(...records: readonly PolicyRecord[]): void {
    for (const record of records) this.all.set(record);
  }
}
