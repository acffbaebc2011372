// The reference of docs/metrics.md: a table for each topic, of the families that the registry has. Invariant: the same
// registry gives the same text.

import type { BackendKind } from "../../src/backend-kind.ts";
import { backends } from "../../src/backends.ts";
import type { MetricFamily, Topic } from "./metric-families.ts";
import { metricFamilies, observeFamilies } from "./metric-families.ts";

const marks = { begin: "<!-- metrics: make metrics -->", end: "<!-- end of the metrics -->" };

/** A label with more values than this is told by its name. */
const mostValues = 6;

const titles: readonly (readonly [Topic, string])[] = [
  ["ovn", "As OVN-Kubernetes names them"],
  ["own", "Northgate's own"],
  ["source", "Only with `--source kube`"],
  ["process", "The process"],
];

/** The page with the present reference. Throws where the page has no place for it. */
export async function withReference(page: string): Promise<string> {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`no ${marks.begin} before ${marks.end}`);
  const families = await metricFamilies();
  const sections = titles.map(([topic, title]) =>
    section(
      title,
      families.filter((family) => family.topic === topic),
    ),
  );
  const groups = Map.groupBy(backends.slice(1), ({ live }) => live.metrics);
  const others = await Promise.all([...groups.values()].map((group) => sectionOf(group, families)));
  sections.splice(titles.findIndex(([topic]) => topic === "own") + 1, 0, ...others);
  sections.push(section("Only of `northgate observe-node`", observeFamilies));
  return `${page.slice(0, begin + marks.begin.length)}\n\n${sections.join("\n\n")}\n\n${page.slice(end)}`;
}

/** What only a run with one of these backends serves, which serve the same. */
async function sectionOf(group: readonly BackendKind[], others: readonly MetricFamily[]): Promise<string> {
  const known = new Set(others.map((family) => family.name));
  const names = group.map(({ name }) => name);
  const families = (await metricFamilies(names[0])).filter((family) => !known.has(family.name));
  return section(`Only with \`--backend ${names.join("` or `")}\``, families);
}

function section(title: string, families: readonly MetricFamily[]): string {
  const moving = families.some(({ moves }) => moves !== null);
  const head = ["name", "type", "labels", "meaning", ...(moving ? ["moves when"] : [])];
  const rows = families.map((family) => [
    `\`${family.name}\``,
    family.type,
    labelsOf(family),
    family.help,
    ...(moving ? [family.moves ?? ""] : []),
  ]);
  return [`### ${title}`, "", row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function labelsOf({ labels, values }: MetricFamily): string {
  const shown = labels.map((label) => {
    const known = values.get(label) ?? [];
    const isListed = known.length > 0 && known.length <= mostValues;
    return `\`${label}\`${isListed ? `: ${known.map((value) => `\`${value}\``).join(", ")}` : ""}`;
  });
  return shown.join("; ") || "–";
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
