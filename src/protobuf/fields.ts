// Words in which shapes are written: a field by the name that its value gets, under the number that the .proto file gives it.

import type { FieldShape, Shape } from "./message.ts";

export type Numbered = Readonly<Record<number, FieldShape>>;

export function shape(fields: Numbered): Shape {
  const byNumber = new Map(Object.entries(fields).map(([number, field]) => [Number(number), field]));
  return Array.from({ length: Math.max(0, ...byNumber.keys()) + 1 }, (_, number) => byNumber.get(number));
}

export const text = (name: string): FieldShape => ({ name, type: "text" });
/** JSON has it when it is empty, too. */
export const givenText = (name: string): FieldShape => ({ name, type: "text", always: true });
export const texts = (name: string): FieldShape => ({ name, type: "texts" });
export const int32 = (name: string): FieldShape => ({ name, type: "int32" });
export const givenInt32 = (name: string): FieldShape => ({ name, type: "int32", always: true });
export const bytes = (name: string): FieldShape => ({ name, type: "bytes" });
export const listOfBytes = (name: string): FieldShape => ({ name, type: "listOfBytes" });
export const bool = (name: string): FieldShape => ({ name, type: "bool" });
export const inline = (of: Numbered): FieldShape => ({ name: "(inline)", type: "inline", of: shape(of) });
export const message = (name: string, of: Numbered): FieldShape => ({ name, type: "message", of: shape(of) });
export const list = (name: string, of: Numbered): FieldShape => ({ name, type: "list", of: shape(of) });

/** `keys`: those that are read; all of them unless given. */
export function textMap(name: string, keys?: readonly string[]): FieldShape {
  const only = keys?.map((key) => Buffer.from(key));
  return only === undefined ? { name, type: "textMap" } : { name, type: "textMap", only };
}
