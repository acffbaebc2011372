// --watch: whether what is asked can be followed. Refuses wrong usage as config.ts does.

import type { WorldSource } from "./config.ts";
import { parseBoolean } from "./config.ts";
import type { Value } from "./values.ts";
import { UsageError } from "./values.ts";

/** @param others flags that cannot stand beside --watch. */
export function parseWatch(
  watch: Value,
  { source }: { readonly source: WorldSource },
  ...others: readonly Value[]
): boolean {
  if (!parseBoolean(watch)) return false;
  const beside = others.find(({ isDefault }) => !isDefault);
  if (beside !== undefined) throw new UsageError(`--watch and ${beside.from}: use only one of them`);
  if (source.kind === "files" && source.paths.includes("-"))
    throw new UsageError("--watch follows files and clusters: standard input is read once");
  // Its parts may be anywhere.
  if (source.kind === "files" && (source.kustomizations ?? []).length > 0)
    throw new UsageError("--watch and --kustomize: use only one of them");
  return true;
}
