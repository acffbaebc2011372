// Reads the status of an object, its conditions and the plain values beside them, for the status writer, which compares
// them with its own. What is malformed is left out: a status that other programs wrote never causes a refusal.

import { Field, Problems } from "../../model/reader.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | null;
  readonly lastTransitionTime: string | null;
}

/** Texts and numbers of a status beside its conditions, by their names. */
export type StatusFields = Readonly<Record<string, string | number>>;

export interface SeenStatus {
  /** Of the object that has it; null: no object was seen. */
  readonly uid: string | null;
  readonly conditions: readonly Condition[];
  readonly fields: StatusFields;
}

export const noStatus: SeenStatus = { uid: null, conditions: [], fields: {} };

export function readStatus(object: unknown): SeenStatus {
  const status = new Field(new Problems(), "", object).at("status");
  const fields = status.names().flatMap((name) => {
    const { raw } = status.at(name);
    return typeof raw === "string" || typeof raw === "number" ? [[name, raw] as const] : [];
  });
  const uid = new Field(new Problems(), "", object).at("metadata").at("uid").raw;
  return {
    uid: typeof uid === "string" ? uid : null,
    conditions: readConditions(object),
    fields: Object.fromEntries(fields),
  };
}

export function readConditions(object: unknown): readonly Condition[] {
  const status = new Field(new Problems(), "", object).at("status");
  return status.at("conditions").items().flatMap(readCondition);
}

function readCondition(field: Field): readonly Condition[] {
  const text = (name: string): string | null => {
    const { raw } = field.at(name);
    return typeof raw === "string" ? raw : null;
  };
  const type = text("type");
  const generation = field.at("observedGeneration").raw;
  if (type === null) return [];
  return [
    {
      type,
      status: text("status") ?? "",
      reason: text("reason") ?? "",
      message: text("message") ?? "",
      observedGeneration: typeof generation === "number" ? generation : null,
      lastTransitionTime: text("lastTransitionTime"),
    },
  ];
}
