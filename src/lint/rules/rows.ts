// NG018: rows of the Northbound database that are not what the policies ask for. Somebody else has compared them; this file
// says it under the policy that a row belongs to, or under the row where no policy has to do with it.

import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";

export function* rowsDisagree({ rows }: Context): Generator<Draft> {
  for (const { key, row, message } of rows)
    yield {
      ...{ severity: "error", target: { key, at: null }, field: "", message, about: row },
      fix: "let northgate run write the rows, or find the program that changes them",
    };
}
