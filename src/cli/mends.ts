// What `northgate lint --fix` does: changes the manifests where a finding has one right mending, and no other byte of them. A file
// that cannot be changed exactly is left as it is, and reported.

import { readFileSync } from "node:fs";
import type { ObjectEdit } from "../informers/index.ts";
import { editedText, nameOfInput } from "../informers/index.ts";
import type { TextChange } from "../lib/text/text-change.ts";
import { unifiedDiff } from "../lib/text/text-change.ts";
import type { Finding, Report } from "../lint/finding.ts";
import { writeWhole } from "./print/written-file.ts";

export interface Mend {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly TextChange[];
}

export interface Mends {
  readonly files: readonly Mend[];
  /** One sentence for each file that stays as it is, without a full stop. */
  readonly refused: readonly string[];
  /** How many findings are mended. */
  readonly count: number;
}

/** Reads the files again, and writes none. */
export function mendsOf({ findings }: Report): Mends {
  const byFile = Map.groupBy(
    findings.filter(({ edit, suppressed }) => edit !== null && suppressed === null),
    ({ place }) => /^(.*):\d+$/s.exec(place ?? "")?.[1] ?? "",
  );
  const files: Mend[] = [];
  const refused: string[] = [];
  let count = 0;
  for (const [path, own] of byFile) {
    const mend = mendOf(path, own);
    if (typeof mend === "string")
      refused.push(`${path === "" ? "an object of no file" : path} stays as it is: ${mend}`);
    else {
      files.push(mend);
      count += own.length;
    }
  }
  return { files, refused, count };
}

function mendOf(path: string, findings: readonly Finding[]): Mend | string {
  // Of standard input and of a cluster there is no file.
  if (path === "" || path === nameOfInput) return "only files are changed";
  let before: string;
  try {
    before = readFileSync(path, "utf8");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const edited = editedText(before, editsOf(findings));
  return "refused" in edited ? edited.refused : { path, before, after: edited.text, changes: edited.changes };
}

/** Several findings may ask for one change. */
function editsOf(findings: readonly Finding[]): readonly ObjectEdit[] {
  const edits = findings.flatMap(({ policy, field, edit }): readonly ObjectEdit[] =>
    edit === null ? [] : [{ object: policy, field, edit }],
  );
  return [...new Map(edits.map((one) => [JSON.stringify(one), one])).values()];
}

/** Throws an Error of one sentence when a file cannot be written. */
export function write({ files }: Mends): void {
  for (const { path, after } of files) writeWhole(path, after);
}

export function diffText({ files }: Mends): string {
  return files.map(({ path, before, changes }) => unifiedDiff(path, before, changes)).join("");
}
