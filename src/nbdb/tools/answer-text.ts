// What the rows say of a connection, for people, below what the policies say. Only texts.

import { invariant } from "../../lib/invariant.ts";
import { printable } from "../../model/quote.ts";
import type { RowAcl, RowSide } from "../audit/index.ts";
import { aligned } from "../../lib/aligned.ts";
import type { RowsAnswer } from "./answers.ts";

const longestLine = 1000;

/** `said`: the verdict in a word. */
export function formatRowsAnswer(rows: object, said: string): string {
  invariant(isRowsAnswer(rows), "the answer is of another backend");
  return [
    `rows: ${said}${rows.agrees ? ", in agreement with the policies" : ", not in agreement with the policies"}`,
    ...aligned([...sideCells("egress", rows.egress), ...sideCells("ingress", rows.ingress)]).map(indented),
    ...rows.differences.map((text) => indented(`differs   ${printable(text, longestLine)}`)),
    ...rows.notes.map((text) => indented(`note      ${printable(text, longestLine)}`)),
    "",
  ].join("\n");
}

function isRowsAnswer(rows: object): rows is RowsAnswer {
  return "egress" in rows && "ingress" in rows && "notes" in rows;
}

function indented(line: string): string {
  return `  ${line}`.trimEnd();
}

function sideCells(name: string, side: RowSide | null): readonly (readonly string[])[] {
  if (side === null) return [];
  const { acls } = side;
  if (acls.length === 0) return [[name.padEnd(8), "no ACL decides"]];
  return acls.map((acl, at) => [at === 0 ? name.padEnd(8) : "", ...aclCells(acl)]);
}

function aclCells({ id, uuid, tier, priority, action }: RowAcl): readonly string[] {
  const remark = action === "pass" ? "passes on to the next tier" : "◀ decides";
  return [`tier ${tier}`, String(priority), action, printable(id ?? uuid ?? ""), remark];
}
