// Mistakes in who can reach whom: `can`, whose groups are classes, and `matrix`, whose cells sum up connections.

import type { Listed } from "./list.ts";

export const canAndMatrix: readonly Listed[] = [
  {
    name: "groups-of-different-rules-are-one",
    file: "src/can/groups.ts",
    was: "this.#ids.of(`${decided.text} ${textOf(traffic)}`)",
    becomes: "this.#ids.of(`${decided.verdict} ${textOf(traffic)}`)",
    harm: "pods that one rule allows are said to be allowed by another",
  },
  {
    name: "destination-not-asked",
    file: "src/verdicts/questions/decisions.ts",
    was: "const verdict = joined(out.verdict, into.verdict);",
    becomes: "const verdict = joined(out.verdict);",
    harm: "what the destination's policies deny is said to be reached",
  },
  {
    name: "denial-put-down-to-the-side-that-allows",
    file: "src/can/deciders.ts",
    was: 'return own.verdict !== "deny" || this.#blamed !== side;',
    becomes: 'return own.verdict === "deny" || this.#blamed !== side;',
    harm: "a denial is shown with the side that allows, and without the rule that denies",
  },
  {
    name: "a-pod-reaches-itself",
    file: "src/crossings/crossings.ts",
    was: "return from.pod !== to.pod || from.pod?.isTemplate === true;",
    becomes: "return true;",
    harm: "a pod is among those that can reach it, by a verdict that OVN does not make",
  },
  {
    name: "unknown-shown-as-none",
    file: "src/matrix/cells.ts",
    was: 'if (unknown !== noTraffic) return "unknown";',
    becomes: 'if (unknown !== noTraffic) return "none";',
    harm: "a cell says that nothing passes, where a policy was not read that may allow it",
  },
  {
    name: "some-shown-as-all",
    file: "src/crossings/reach.ts",
    was: "const some = allow & deny;",
    becomes: "const some = allow & deny & unknown;",
    harm: "where one pod of two is let through a cell says that all are",
  },
  {
    name: "matrix-of-one-protocol-lost",
    file: "src/matrix/matrix.ts",
    was: "portsAsked(question, everywhere(asked))",
    becomes: "portsAsked({ protocol: null, port: null }, everywhere(asked))",
    harm: "a matrix of TCP port 80 is one of all traffic",
  },
  {
    name: "matrix-of-one-family",
    file: "src/matrix/matrix.ts",
    was: "cellsOf(families, placeOf, outsidePlace)",
    becomes: "cellsOf(families.slice(0, 1), placeOf, outsidePlace)",
    harm: "what is open over IPv6 alone is said to be closed",
  },
  {
    name: "difference-of-swapped-worlds",
    file: "src/matrix/matrix.ts",
    was: "old: one ?? null, new: other ?? null",
    becomes: "old: other ?? null, new: one ?? null",
    harm: "a change that opens a namespace is said to close it",
  },
];
