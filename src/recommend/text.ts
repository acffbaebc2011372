// A recommendation for people: the coverage as comments above the manifests, and the policies as a table. Long lists are cut and
// counted; `-o json` has all of it. Every line is made harmless, for it holds users' text.

import type { FlowsReport } from "../flows/report.ts";
import { changesLines, countText, firstOf, missedTexts, unjudgedText } from "../flows/text.ts";
import { aligned } from "../lib/aligned.ts";
import { counted } from "../lib/counted.ts";
import { section, sectionsText } from "../lib/text/sections.ts";
import { listed } from "../lib/text/few.ts";
import { printable } from "../model/quote.ts";
import type { PolicyManifest, RuleManifest } from "./manifest.ts";
import type { CoveredNamespace, Coverage, RecommendReport } from "./report.ts";

const mostNamed = 8;
const lineLength = 400;

/** What a record does not have (docs/observe.md). */
function notRecorded({ nodes }: FlowsReport): readonly string[] {
  return [
    "what happened before and after the record, such as jobs that run once a month",
    nodes === undefined
      ? "connections of other nodes: the record is of one"
      : `connections that no node of the record has seen: it is of ${someOf(nodes) || "none"}`,
    "traffic of pods on the network of their node, and ICMP in the policies: a NetworkPolicy cannot say it",
  ];
}

/** One sentence on the proof. */
export function proofLine({ recorded, changed, unjudged }: FlowsReport): string {
  const all = counted(recorded.flows, "recorded connection");
  const others = unjudged.length === 0 ? "" : `, ${unjudged.length} could not be evaluated`;
  if (changed.flows === 0) return `${all}, none changes${others}`;
  return `${all}, ${changed.flows} would change${others}`;
}

/** Lines that begin with `#`. */
export function commentsOf(report: RecommendReport): string {
  const text = `Recommended by northgate. Nothing is applied.\n${coverageText(report)}`;
  return text.replace(/^.*$/gm, (line) => (line === "" ? "" : `# ${line}`));
}

/** `width`: of a terminal, whose lines are folded; null: they are not. */
export function recommendText(report: RecommendReport, width: number | null): string {
  const rows = report.policies.flatMap(rowsOf);
  const table = aligned([["NAMESPACE", "POLICY", "DIRECTION", "PEERS", "PORTS"], ...rows], width);
  return [...table, "", coverageText(report, width)].join("\n");
}

function rowsOf({ metadata, spec }: PolicyManifest): readonly (readonly string[])[] {
  const names = [metadata.namespace, metadata.name].map((name) => printable(name));
  const rules = [...(spec.ingress ?? []).map(asRow("ingress")), ...(spec.egress ?? []).map(asRow("egress"))];
  return (rules.length === 0 ? [["ingress, egress", "none", "-"]] : rules).map((row) => [...names, ...row]);
}

const asRow =
  (direction: string) =>
  ({ from = [], to = [], ports }: RuleManifest): readonly string[] => [
    direction,
    printable(someOf([...from, ...to].map(peerText))),
    someOf(ports.map(portText)),
  ];

/** The first of them. */
function someOf(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return listed(rest > 0 ? [...names.slice(0, mostNamed), `${rest} more`] : names);
}

function peerText({
  namespaceSelector,
  podSelector,
  ipBlock,
}: NonNullable<RuleManifest["from"]>[number]): string {
  if (ipBlock !== undefined) return ipBlock.cidr;
  const labels = Object.entries(podSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const absent = (podSelector?.matchExpressions ?? []).map(({ key }) => `!${key}`);
  const pods = [...labels, ...absent].join(",");
  const [namespace] = Object.values(namespaceSelector?.matchLabels ?? {});
  return namespace === undefined ? pods : `${namespace}/${pods}`;
}

function portText({ protocol, port, endPort }: RuleManifest["ports"][number]): string {
  return `${protocol.toLowerCase()} ${port}${endPort === undefined ? "" : `-${endPort}`}`;
}

function coverageText({ coverage, proof }: RecommendReport, width: number | null = null): string {
  const { recorded, covered, elsewhere, leftOut } = coverage;
  const lines = [
    ...section("Recorded", [`${countText(recorded)}, ${proof.since} to ${proof.until}`]),
    ...section("Covered", [
      countText(covered),
      ...(elsewhere.flows === 0 ? [] : [`${countText(elsewhere)}, without an end in the namespaces`]),
    ]),
    ...section("Left out", firstOf(leftOut, unjudgedText)),
    ...section("Adds", addsTexts(coverage)),
    ...section("Look at", lookAtTexts(coverage)),
    ...section("Not seen", [...missedTexts(proof), ...proof.notes, ...notRecorded(proof)]),
    ...section("Proof", [proofLine(proof)]),
    ...changesLines(proof),
  ];
  return sectionsText(
    lines.map((line) => printable(line, lineLength).trimEnd()),
    width,
  );
}

function addsTexts({ namespaces }: Coverage): readonly string[] {
  return namespaces.flatMap(({ name, existing, newlyIsolated: { ingress, egress } }) => [
    `${name}: isolates ${counted(ingress, "pod")} for ingress and ${counted(egress, "pod")} for egress that no NetworkPolicy isolates today`,
    ...(existing.length === 0
      ? []
      : [`${name}: ${someOf(existing)} exist and stay, and what they allow stays allowed`]),
  ]);
}

function lookAtTexts({ namespaces, unseen, widened }: Coverage): readonly string[] {
  return [
    ...unseen.map((name) => `${name}: no recorded connection can be allowed there, so it gets no policy`),
    ...namespaces.flatMap(workloadTexts),
    ...widened.map(
      ({ namespace, policy, direction, addresses, networks }) =>
        `${namespace}/${policy}: ${direction} names ${addresses} addresses by ${counted(networks.length, "network")}, which hold others too`,
    ),
  ];
}

function workloadTexts({ name, silent, dnsByUdpAlone }: CoveredNamespace): readonly string[] {
  return [
    ...(silent.length === 0
      ? []
      : [`${name}: no recorded connection of ${someOf(silent)} can be allowed, so nothing is allowed there`]),
    ...(dnsByUdpAlone.length === 0
      ? []
      : [`${name}: ${someOf(dnsByUdpAlone)} asked DNS by UDP 53 alone; long answers need TCP 53`]),
  ];
}
