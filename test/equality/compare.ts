// Whether two answers are the same for a program that reads them: the exit code, every value of standard output but the fields
// of JSON that are written for people, and which places of the manifests standard error names. Its wording is for people.

import { parseAllDocuments } from "yaml";
import type { Allowed } from "./allowed.ts";
import { allowed } from "./allowed.ts";
import type { Answer } from "./build.ts";

const forPeople: ReadonlySet<string> = new Set(["text", "message", "fix", "error", "title"]);
const place = /^\S+\.ya?ml:\d+: (?:error|warning)\b/;

/** Of a command line: what differs, in one line; null: nothing. */
export function difference(args: readonly string[], base: Answer, here: Answer): string | null {
  const own = allowed.filter((one) => isAbout(one, args));
  const may = (part: Allowed["part"]) => own.some((one) => one.part === part);
  if (base.code !== here.code && !may("exit code")) return `exit code ${base.code} became ${here.code}`;
  const [before, after] = [base.stdout, here.stdout].map(args.includes("yaml") ? valuesOf : asIs);
  return (
    firstLine(comparable(own.filter(isOfBoth), before ?? ""), comparable(own, after ?? "")) ??
    (may("places") ? null : firstLine(placesIn(base.stderr), placesIn(here.stderr)))
  );
}

const asIs = (text: string) => text;

/** What YAML says, as JSON: with or without aliases, it is the same. */
function valuesOf(text: string): string {
  return JSON.stringify(
    parseAllDocuments(text).map((one) => one.toJS({ maxAliasCount: -1 }) as unknown),
    null,
    1,
  );
}

/** What the base has not must not be there. */
function isOfBoth({ as }: Allowed): boolean {
  return as !== "added";
}

function isAbout({ command, given }: Allowed, args: readonly string[]): boolean {
  return command === args[0] && (given === undefined || given.some((flag) => args.includes(flag)));
}

function firstLine(before: string, after: string): string | null {
  if (before === after) return null;
  const [lines, others] = [before.split("\n"), after.split("\n")];
  const different = lines.findIndex((line, at) => line !== others[at]);
  const at = different < 0 ? lines.length : different;
  return `line ${at + 1}: ${lines[at] ?? "nothing"} became ${others[at] ?? "nothing"}`;
}

/** JSON without the fields for people and those that may differ; any other text as it is. */
function comparable(own: readonly Allowed[], stdout: string): string {
  if (!/^\s*[[{]/.test(stdout)) return stdout;
  const byField = new Map(
    own.flatMap((one) => (typeof one.part === "string" ? [] : [[one.part.field, one]])),
  );
  const kept = (key: string, value: unknown): unknown => {
    if (forPeople.has(key)) return undefined;
    const may = byField.get(key);
    if (may === undefined) return value;
    return may.as === "unordered" && Array.isArray(value) ? inOrder(value) : undefined;
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
