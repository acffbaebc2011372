// A problem with its place, for users: always one line, without control characters for a terminal.

import type { SourceProblem } from "../model/object.ts";
import type { LogFields } from "../lib/logger.ts";
import type { Problem, ShownProblem } from "../model/problem.ts";
import { printable } from "../model/quote.ts";

const maxLine = 1000;

export interface ShownSourceProblem extends Omit<SourceProblem, "problem"> {
  /** The code of a finding about user input. */
  readonly problem: ShownProblem & Partial<Pick<Problem, "code">>;
}

/** `file:line: error: Pod web/a: status.podIPs[0].ip: "x" is not an IP address` */
export function formatSourceProblem({ place, object, problem }: ShownSourceProblem): string {
  const parts = [place, problem.severity, object, problem.field, problem.message];
  return printable(parts.filter((part) => part !== null && part !== "").join(": "), maxLine);
}

/** The same as fields of a log line, those that it has. */
export function problemFields({ place, object, problem }: ShownSourceProblem): LogFields {
  const { severity, field, message } = problem;
  const fields = [
    ["place", place],
    ["object", object],
    ["field", field],
    ["severity", severity],
    ["code", problem.code],
    ["problem", message],
  ] as const;
  return Object.fromEntries(
    fields.flatMap(([name, text]) =>
      text === null || text === undefined || text === "" ? [] : [[name, printable(text, maxLine)]],
    ),
  );
}

/** A finding about a whole file or directory, or about a place in it that holds no object. */
export function placeProblem(place: string, message: string): SourceProblem {
  return {
    place: printable(place),
    object: null,
    problem: { code: "InvalidObject", severity: "error", field: "", message: printable(message) },
  };
}

/** How many findings of one file are reported; thousands of lines would hold up everything else. */
const shownOfFile = 100;

/** The first of a file's findings, and how many more there are. */
export function firstOf(path: string, problems: readonly SourceProblem[]): readonly SourceProblem[] {
  const more = problems.length - shownOfFile;
  if (more <= 0) return problems;
  return [
    ...problems.slice(0, shownOfFile),
    placeProblem(path, `has ${more} more findings, which are not shown`),
  ];
}
