// Whether two answers are the same for a program that reads them: the exit code, every value of standard output but the fields
// of JSON that are written for people, and which places of the manifests standard error names. Its wording is for people.

import { allowed } from "./allowed.ts";
import type { Answer } from "./build.ts";

const forPeople: ReadonlySet<string> = new Set(["text", "message", "fix", "error", "title"]);
const place = /^\S+\.ya?ml:\d+: (?:error|warning)\b/;

/** What differs, in one line; null: nothing. */
export function difference(command: string, base: Answer, here: Answer): string | null {
  if (base.code !== here.code) return `exit code ${base.code} became ${here.code}`;
  return (
    firstLine(comparable(command, base.stdout), comparable(command, here.stdout)) ??
    firstLine(placesIn(base.stderr), placesIn(here.stderr))
  );
}

function firstLine(before: string, after: string): string | null {
  if (before === after) return null;
  const [lines, others] = [before.split("\n"), after.split("\n")];
  const different = lines.findIndex((line, at) => line !== others[at]);
  const at = different < 0 ? lines.length : different;
  return `line ${at + 1}: ${lines[at] ?? "nothing"} became ${others[at] ?? "nothing"}`;
}

/** JSON without the fields for people and those that may differ; any other text as it is. */
function comparable(command: string, stdout: string): string {
  if (!/^\s*[[{]/.test(stdout)) return stdout;
  const own = new Map(allowed.filter((one) => one.command === command).map((one) => [one.field, one]));
  const kept = (key: string, value: unknown): unknown => {
    if (forPeople.has(key)) return undefined;
    const may = own.get(key);
    if (may === undefined) return value;
    return may.isUnordered === true && Array.isArray(value) ? inOrder(value) : undefined;
  };
  try {
    return JSON.stringify(JSON.parse(stdout, kept), null, 1);
  } catch {
    return stdout;
  }
}

/** Without the numbers that SARIF gives to the members of a list. */
function inOrder(list: readonly unknown[]): readonly string[] {
  const unnumbered = (key: string, value: unknown) =>
    key === "id" && typeof value === "number" ? undefined : value;
  return list.map((one) => JSON.stringify(one, unnumbered)).sort();
}

function placesIn(stderr: string): string {
  return stderr
    .split("\n")
    .flatMap((line) => place.exec(line) ?? [])
    .join("\n");
}
