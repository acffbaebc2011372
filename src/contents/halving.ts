// A batch that its writer refuses is written in halves, until each refused unit is alone: one mistake keeps nothing else from being
// written. Knows no rows.

/** What became of a batch. */
export type BatchEnd<Unit, Refusal> =
  /** All of it is written. */
  | { readonly kind: "written" }
  /** Nothing of it is written: one of these units, or several together, are refused. */
  | { readonly kind: "refused"; readonly units: readonly Unit[]; readonly why: Refusal }
  /** Nothing more can be written now, with the reason in one sentence. */
  | { readonly kind: "stopped"; readonly why: string };

export interface BatchWriter<Unit, Refusal> {
  write(units: readonly Unit[]): Promise<BatchEnd<Unit, Refusal>>;
  /** The unit alone is refused. */
  refuse(unit: Unit, why: Refusal): void;
  /** Called before a refused batch is split: returns the units that are left to be written, or why everything must stop. */
  makeRoom?(units: readonly Unit[]): Promise<readonly Unit[] | string>;
}

/** Resolves with why it stopped early, in one sentence; null: every unit is written, or refused alone. */
export async function writeHalving<Unit, Refusal>(
  units: readonly Unit[],
  writer: BatchWriter<Unit, Refusal>,
): Promise<string | null> {
  const end = await writer.write(units);
  if (end.kind === "written") return null;
  if (end.kind === "stopped") return end.why;
  const [only] = end.units;
  if (only !== undefined && end.units.length === 1) {
    writer.refuse(only, end.why);
    return null;
  }
  const left = (await writer.makeRoom?.(end.units)) ?? end.units;
  if (typeof left === "string") return left;
  const middle = Math.ceil(left.length / 2);
  const stopped = await writeHalving(left.slice(0, middle), writer);
  return stopped ?? (await writeHalving(left.slice(middle), writer));
}
