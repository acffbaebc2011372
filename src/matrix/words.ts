// Cells of a matrix in words, the same in every form of output. Names are users' text; the code that prints them makes them harmless.

import { trafficText } from "../verdicts/traffic-words.ts";
import type { Cell, CellChange, MatrixReport, TrafficByReach } from "./report.ts";
import type { Reach } from "../crossings/reach.ts";
import { reaches } from "../crossings/reach.ts";

export const reachWords: Readonly<Record<Reach, string>> = {
  all: "all",
  some: "some",
  none: "none",
  unknown: "unknown",
};

/** For a cell of one letter. */
export const reachSigns: Readonly<Record<Reach, string>> = { all: "●", some: "◐", none: "○", unknown: "?" };

export const legend =
  "● all connections are allowed, ◐ some, ○ none, ? cannot tell, - there is no connection";

/** "all tcp 80; some tcp 443; none: all other traffic". */
export function cellText(traffic: TrafficByReach): string {
  const said = reaches.flatMap((reach): readonly (readonly [Reach, string])[] => {
    const own = traffic[reach];
    return own === undefined ? [] : [[reach, trafficText(own)]];
  });
  const rest = restOf(said);
  const named = said.filter((one) => one !== rest).map(([reach, text]) => `${reachWords[reach]}: ${text}`);
  return [...named, ...(rest === undefined ? [] : [`${reachWords[rest[0]]}: all other traffic`])].join("; ");
}

/** Of several parts, the one that is easier to read as what the others leave than as all of its ranges. */
function restOf(said: readonly (readonly [Reach, string])[]): readonly [Reach, string] | undefined {
  if (said.length < 2) return undefined;
  const complement = said.find(([, text]) => text.startsWith("all traffic but "));
  return complement ?? said.find(([reach, text], at) => reach === "none" && at > 0 && text.length > 24);
}

export function changeText({ old, new: next }: CellChange): string {
  return `${sideText(old)} → ${sideText(next)}`;
}

function sideText(side: CellChange["old"]): string {
  return side === null ? "no connection" : cellText(side.traffic);
}

export function titleOf({ question: { namespace, protocol, port }, against }: MatrixReport): string {
  const what = protocol === null ? "any protocol" : port === null ? protocol : `${protocol} ${port}`;
  const whose = namespace === null ? "namespaces" : `workloads of ${namespace}`;
  return `${whose} against each other, ${what}${against === undefined ? "" : `, changes since ${against}`}`;
}

/** What a form shows of each pair: the matrix, or with --diff the changes. */
export interface ShownCell {
  readonly from: string;
  readonly to: string;
  readonly sign: string;
  /** A word, or two with an arrow. */
  readonly word: string;
  readonly text: string;
  readonly reach: Reach | null;
}

export function shownCells({ cells, changes }: MatrixReport): readonly ShownCell[] {
  if (changes === undefined) return cells.map(shownCell);
  return changes.map((change): ShownCell => {
    const { from, to, old, new: next } = change;
    const word = (side: CellChange["old"]) => (side === null ? "no connection" : reachWords[side.reach]);
    const sign = (side: CellChange["old"]) => (side === null ? "-" : reachSigns[side.reach]);
    const reach = next?.reach ?? null;
    return {
      ...{ from, to, reach, text: changeText(change) },
      ...{ sign: `${sign(old)}→${sign(next)}`, word: `${word(old)} → ${word(next)}` },
    };
  });
}

function shownCell({ from, to, reach, traffic }: Cell): ShownCell {
  return { from, to, reach, sign: reachSigns[reach], word: reachWords[reach], text: cellText(traffic) };
}
