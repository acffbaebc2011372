// What was edited, asked by the object: the part of a plan that a cause names. A place is where a reader finds the edit: of an
// object that was removed, where it was.

import type { Ref } from "../../analysis/ref.ts";
import type { LocationOf } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import type { ChangedField, Edit, ObjectChanges } from "../report.ts";
import type { Both } from "../../verdicts/worlds.ts";

export interface EditedObject {
  readonly edit: Edit;
  readonly fields: readonly ChangedField[];
}

export class Edits {
  readonly all: readonly EditedObject[];
  readonly #byKey: ReadonlyMap<string, EditedObject>;

  constructor({ added, changed, removed }: ObjectChanges, placeOf: Both<LocationOf>) {
    const placed = (age: "old" | "new", ref: Ref, field: string) =>
      placeOf[age](objectKey(ref, ref.namespace, ref.name), field);
    this.all = [
      ...added.map((ref): EditedObject => {
        return { edit: { op: "added", object: ref, place: placed("new", ref, "metadata.name") }, fields: [] };
      }),
      ...changed.map(({ fields, ...ref }): EditedObject => {
        const [first] = fields;
        const place = placed("new", ref, first?.field ?? "spec") ?? placed("new", ref, "metadata.name");
        return { edit: { op: "changed", object: ref, place }, fields };
      }),
      ...removed.map((ref): EditedObject => {
        return {
          edit: { op: "removed", object: ref, place: placed("old", ref, "metadata.name") },
          fields: [],
        };
      }),
    ];
    this.#byKey = new Map(this.all.map((one) => [keyOf(one.edit.object), one]));
  }

  of(ref: Ref): EditedObject | null {
    return this.#byKey.get(keyOf(ref)) ?? null;
  }
}

function keyOf({ group, kind, namespace, name }: Ref): string {
  return JSON.stringify([group, kind, namespace, name]);
}
