// Where a reader of a pull request finds an edit: in the new files, or, of what was removed, in the file where it was. A place in the
// folder of the other world is one in the folder that holds it: both are checkouts of one repository.

import { fileAndLine } from "../../analysis/sarif.ts";
import type { Edit, PlanReport } from "../report.ts";

/** `file:line`; null: the object is from no file. */
export function placeOfEdit({ op, place }: Edit, { against }: Pick<PlanReport, "against">): string | null {
  const folder = against.startsWith("dir:") ? `${against.slice("dir:".length).replace(/\/+$/, "")}/` : "";
  if (place === null || op !== "removed" || folder === "" || !place.startsWith(folder)) return place;
  return place.slice(folder.length);
}

/** The first edit of each file. */
export function oneInEachFile(edits: readonly Edit[]): readonly Edit[] {
  const files = new Set<string>();
  return edits.filter(({ place }) => {
    const file = fileAndLine(place)?.file ?? "";
    const isNew = !files.has(file);
    files.add(file);
    return isNew;
  });
}
