// Answers of can for people: allowed, what cannot be told, and denied, each with who and by which rules. A group is one block,
// workloads in it are counted, and long lists are cut. Users' text goes through model/quote.ts.

import type { Ref } from "../../analysis/ref.ts";
import { refText } from "../../analysis/ref.ts";
import type { CanGroup, CanReport, Decider } from "../../can/report.ts";
import type { AnsweredVerdict } from "../../explain/answer.ts";
import { isOwnNode } from "../../policy/own-node.ts";
import { policyKey } from "../../policy/ir.ts";
import { printable } from "../../model/quote.ts";
import { trafficText } from "../../verdicts/traffic-words.ts";
import type { AnswerTableOptions } from "./answer-table.ts";
import { painted, ruleText } from "./answer-table.ts";
import { countedText, membersLines } from "./can-members.ts";
import { reachLines } from "./can-reach.ts";

type Colours = Pick<AnswerTableOptions, "colours">;

const shownWorkloads = 12;
const shownGroups = 20;
/** Of denials, who is denied matters less than why. */
const shownDenied = 3;
const words = { allow: "allowed", unknown: "cannot tell", deny: "denied" } as const;

export function formatCan(report: CanReport, colours: Colours): string {
  const { groups, caveats } = report;
  const lines = [
    headOf(report),
    ...reachLines(report),
    ...(["allow", "unknown", "deny"] as const).flatMap((verdict) => sectionOf(report, verdict, colours)),
    ...(groups.length === 0 ? ["", nothingText(report)] : [""]),
    ...caveats.map(({ code, text }) => `note  ${code}: ${printable(text, 1000)}`),
    "evaluated as new connections; replies are allowed with them",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function nothingText({ from, to }: CanReport): string {
  if (from === null && to === null) return "no pod with an address is among the objects";
  return from === null || to === null
    ? "there is no other end"
    : "the two have no connection that policies could be about";
}

function headOf({ question: { from, to, protocol, port }, from: source, to: target }: CanReport): string {
  const end = source ?? target;
  const what = protocol === null ? "any protocol" : port === null ? protocol : `${protocol} ${port}`;
  const at = (one: typeof source, text: string): string => {
    const ips = (one?.ips ?? []).filter((ip) => ip !== text).map((ip) => ` ${ip}`);
    const members =
      one === null || one.kind === "network" || one.members === undefined ? "" : countedText([one.members]);
    return `${printable(text)}${ips.join("")}${members === "" ? "" : ` (${members})`}`;
  };
  if (from !== null && to !== null) return `from ${at(source, from)} to ${at(target, to)}, ${what}`;
  if (to !== null) return `who can reach ${at(end, to)}, ${what}`;
  return from === null ? `who can reach what, ${what}` : `what ${at(end, from)} can reach, ${what}`;
}

function sectionOf(report: CanReport, verdict: AnsweredVerdict, colours: Colours): readonly string[] {
  const groups = report.groups.filter((group) => group.verdict === verdict && !isOwnWay(report, group));
  if (groups.length === 0) return [];
  const shown = groups.slice(0, shownGroups);
  const more = groups.length - shown.length;
  const head = painted(words[verdict].toUpperCase(), verdict, colours);
  return [
    "",
    `${head}  ${totalOf(report, groups)}`,
    ...shown.flatMap((group, at) => [...(at === 0 ? [] : [""]), ...groupLines(report, group)]),
    ...(more > 0 ? ["", `  … and ${more} more groups; -o json has all`] : []),
  ];
}

/** The way of a pod to itself, and where everything is listed, those of nodes to their own pods: nobody wrote a rule about them. */
function isOwnWay({ question: { from, to } }: CanReport, { ingress }: CanGroup): boolean {
  if (ingress?.policy === undefined || !isOwnNode(policyKey(ingress.policy))) return false;
  return ingress.rule?.name === "hairpin" || (from === null && to === null);
}

function totalOf({ question: { from, to } }: CanReport, groups: readonly CanGroup[]): string {
  if (from === null && to === null) return `${groups.length} ${groups.length === 1 ? "group" : "groups"}`;
  const others = groups.map((group) => (to === null ? group.to : group.from));
  const isOutside = others.some(({ addresses }) => addresses.length > 0);
  return [countedText(others), ...(isOutside ? ["addresses that no pod has"] : [])]
    .filter((text) => text !== "")
    .join(", ");
}

function groupLines(report: CanReport, group: CanGroup): readonly string[] {
  const most = group.verdict === "deny" ? shownDenied : shownWorkloads;
  const who = [
    ...(isShown(report, "from") ? membersLines(group.from, most, isShown(report, "to") ? "from " : "") : []),
    ...(isShown(report, "to") ? membersLines(group.to, most, isShown(report, "from") ? "to   " : "") : []),
  ];
  const family = group.families.length === 1 && group.families[0] === "IPv6" ? " (IPv6)" : "";
  return [
    ...who.map((line) => `  ${line}${family}`),
    ...(hasTraffic(report, group) ? [`    traffic   ${trafficText(group.traffic)}`] : []),
    ...(isSaid(group, group.egress) ? [`    egress    ${deciderText(group.egress)}`] : []),
    ...(isSaid(group, group.ingress) ? [`    ingress   ${deciderText(group.ingress)}`] : []),
    ...group.why.map(({ code, text }) => `    why       ${code}: ${printable(text, 1000)}`),
  ];
}

/** Not where all of it is the one port that was asked about. */
function hasTraffic({ question: { port, from, to }, to: end }: CanReport, { traffic }: CanGroup): boolean {
  const isAll = from === null && to === null;
  const isOne = typeof port === "number" && end?.service === undefined;
  return isAll || !isOne || traffic.some(({ sourcePorts }) => sourcePorts !== undefined);
}

/** Not what decides at some addresses that a workload's pods may have, and not at others: `why` has these. */
function isSaid({ why }: CanGroup, side: Decider | null): side is Decider {
  return side !== null && !(side.verdict === "unknown" && why.some(({ code }) => code === "NoAddress"));
}

/** Not where it is the one end that was asked about. */
function isShown({ from, to }: CanReport, role: "from" | "to"): boolean {
  const end = role === "from" ? from : to;
  return (
    end === null || end.kind === "network" || end.members !== undefined || (from !== null && to !== null)
  );
}

function deciderText({ by, policy, rule, tied = [], tier }: Decider): string {
  switch (by) {
    case "rule":
      return ruleDecidesText(policy, rule);
    case "isolation":
      return `isolated by ${nameOf(policy)}: no rule matches`;
    case "tie":
      return `a tie in the ${tier ?? ""} tier: ${tied.map(({ policy: one }) => tieText(one)).join(", ")}`;
    case "default":
      return "no policy decides: allowed by default";
    case "exempt":
      return "policies do not apply to this end";
  }
}

function ruleDecidesText(policy: Decider["policy"], rule: Decider["rule"]): string {
  // No user wrote it.
  if (policy !== undefined && isOwnNode(policyKey(policy))) return "a node reaches its own pods";
  const place = rule?.place ?? null;
  const said = rule === undefined ? "" : ` ${ruleText(rule)} ${rule.word}`;
  return `${nameOf(policy)}${said}${place === null ? "" : `  ${printable(place)}`}`;
}

function nameOf(policy: Decider["policy"]): string {
  return policy === undefined ? "" : printable(refText(policy));
}

function tieText(policy: Ref): string {
  return printable(refText(policy));
}
