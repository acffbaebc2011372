// The answer to a question about many ends, for people: a line for each group of ends, with what decides. Only texts; users' text
// goes through model/quote.ts.

import { excerptOf } from "../../lib/text/few.ts";
import { counted } from "../../lib/counted.ts";
import { printable } from "../../model/quote.ts";
import { workloadText } from "../../model/workload.ts";
import type { AnsweredEnds, AnsweredGroup, ManyAnswer, Side } from "../../explain/answer.ts";
import { hitsText } from "../../hits/hits.ts";
import type { AnswerTableOptions } from "./answer-table.ts";
import { painted, trafficText } from "./answer-table.ts";
import { sideText } from "./answers-table.ts";

const shownNames = 3;
const longest = 200;

export function formatMany(
  { from, to, protocol, port, verdict, groups, caveats }: ManyAnswer,
  telling: Pick<AnswerTableOptions, "colours">,
): string {
  const word = verdict === "mixed" ? "MIXED" : painted(verdict.toUpperCase(), verdict, telling);
  const head = `${word}  ${printable(from.text)} → ${printable(to.text)}  ${protocol}${port === null ? "" : ` ${port}`}`;
  const whole = { from: wholeOf(from.text, groups, "from"), to: wholeOf(to.text, groups, "to") };
  return [
    head,
    "",
    ...groups.flatMap((group) => groupLines(group, protocol, telling, whole)),
    ...caveats.map(({ code, text }) => `  note     ${code}: ${printable(text, 1000)}`),
    "  evaluated as new connections; replies are allowed with them",
    "",
  ].join("\n");
}

function groupLines(
  { from, to, port, verdict, egress, ingress }: AnsweredGroup,
  protocol: ManyAnswer["protocol"],
  telling: Pick<AnswerTableOptions, "colours">,
  whole: Readonly<Record<"from" | "to", Whole>>,
): readonly string[] {
  const sides = [egress, ingress].filter((side) => side !== null).map(sideWithHits);
  return [
    `  ${painted(verdict.toUpperCase().padEnd("UNKNOWN".length), verdict, telling)}  ${endsText(from, whole.from)} → ${endsText(to, whole.to)}  ${trafficText({ protocol, port })}`,
    `           ${sides.join("; ")}`,
  ];
}

function sideWithHits(side: Side): string {
  return side.hits === undefined ? sideText(side) : `${sideText(side)} (${printable(hitsText(side.hits))})`;
}

/** What was asked for, and how many networks it is cut into in all groups together. */
interface Whole {
  readonly text: string;
  readonly networks: number;
}

function wholeOf(text: string, groups: readonly AnsweredGroup[], role: "from" | "to"): Whole {
  return { text, networks: new Set(groups.flatMap((group) => group[role].addresses)).size };
}

function networksText(addresses: readonly string[], { text, networks }: Whole): string {
  const isAll = addresses.length === networks && networks > shownNames;
  return isAll ? `all addresses of ${text}` : namesText(addresses, "network");
}

function endsText({ pods, workloads, addresses }: AnsweredEnds, whole: Whole): string {
  const parts = [
    ...(pods.length === 0 ? [] : [namesText(pods, "pod")]),
    ...(workloads.length === 0
      ? []
      : [
          namesText(
            workloads.map((one) => workloadText({ ...one, namespace: one.namespace ?? "" })),
            "workload",
          ),
        ]),
    ...(addresses.length === 0 ? [] : [networksText(addresses, whole)]),
  ];
  return printable(parts.join(" and "), longest);
}

function namesText(names: readonly string[], noun: string): string {
  if (names.length <= shownNames) return names.join(", ");
  return `${counted(names.length, noun)} (${excerptOf(names.length, names.slice(0, shownNames))})`;
}
