// The table: equal policies of many namespaces are one line, and it is two screens at most, the worst first to be shown.

import { expect, test } from "@jest/globals";
import { namespace, pod } from "../../../test/support/facts.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { np } from "../../../test/support/policies.ts";
import type { WorldObject } from "../../model/object.ts";
import type { Finding, Report } from "../finding.ts";
import { formatMarkdown } from "./markdown.ts";
import { formatTable } from "./table.ts";

const names = Array.from({ length: 100 }, (_, at) => `ns${at}`);
const facts = names.flatMap((name, at): readonly WorldObject[] => [
  namespace(name),
  pod(name, `web-${at}`, { labels: { app: "web" }, ips: [`10.0.${at}.1`] }),
  pod(name, `db-${at}`, { labels: { app: "db" }, ips: [`10.0.${at}.2`] }),
]);
const web = { podSelector: { matchLabels: { app: "web" } } };
const wide = (name: string) =>
  np("wide", { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] }, name);
const narrow = (name: string, app = "web") =>
  np(
    "narrow",
    { podSelector: { matchLabels: { app } }, ingress: [{ from: [web], ports: [{ port: 80 }] }] },
    name,
  );
const equal = reportOf([...facts, ...names.flatMap((name) => [wide(name), narrow(name, "db")])]);

test("100 equal policies are one line with a count, and all findings are counted", () => {
  expect(equal.findings.map(({ id }) => id)).toEqual(names.map(() => "NG027"));
  expect(formatTable(equal, { all: true })).toBe(
    [
      "NetworkPolicy narrow in 100 namespaces (ns0, ns1, ns10 and 97 more)",
      "  warning  NG027  redundant policy  NetworkPolicy.networking.k8s.io/ns0/narrow  and 99 more",
      "           changes no verdict: NetworkPolicy ns0/wide says the same",
      "           fix: delete it",
      "",
      "0 errors, 100 warnings, 0 of information",
      "",
    ].join("\n"),
  );
});

test("so they are in Markdown", () => {
  const rows = formatMarkdown(equal)
    .split("\n")
    .filter((line) => line.startsWith("| warning"));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain("NetworkPolicy narrow in 100 namespaces &#40;ns0, ns1, ns10 and 97 more&#41;");
});

test("policies that differ in more are apart, and so are the findings of one policy", () => {
  const typo = np(
    "typo",
    { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: "wbe" } } }] }] },
    "ns2",
  );
  const other = { ...typo, namespace: "ns3" };
  const titles = (...objects: readonly WorldObject[]) =>
    formatTable(
      reportOf([...facts, ...objects], { choice: { only: new Set(["NG004", "NG015"]), skip: new Set() } }),
      {
        all: true,
      },
    )
      .split("\n")
      .filter((line) => line.startsWith("NetworkPolicy"));
  expect(titles(typo, other)).toEqual(["NetworkPolicy typo in 2 namespaces (ns2, ns3)"]);
  expect(titles(typo, { ...other, name: "another" })).toHaveLength(2);
  const ofDb = np(
    "typo",
    { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: "dbb" } } }] }] },
    "ns3",
  );
  expect(titles(typo, ofDb)).toEqual(["NetworkPolicy ns2/typo", "NetworkPolicy ns3/typo"]);
  const twice = np(
    "twice",
    {
      podSelector: {},
      ingress: [{ from: [{ ipBlock: { cidr: "10.1.0.1/8" } }, { ipBlock: { cidr: "10.1.0.1/8" } }] }],
    },
    "ns1",
  );
  expect(formatTable(reportOf([...facts, twice]), { all: true }).match(/10\.1\.0\.1\/8 means/g)).toHaveLength(
    2,
  );
});

function many(count: number): Report {
  const [finding] = equal.findings;
  if (finding === undefined) throw new Error("there is no finding");
  const findings = Array.from({ length: count }, (_, at): Finding => ({
    ...finding,
    policy: { ...finding.policy, name: `p${at}` },
    severity: at === count - 1 ? "error" : at % 2 === 0 ? "info" : "warning",
  }));
  return { ...equal, findings };
}

test.each([10, 24, 40])(
  "it is two screens of %i lines at most, with the worst, and counts the rest",
  (lines) => {
    const text = formatTable(many(500), { all: false, lines });
    const printed = text.trimEnd().split("\n");
    expect(printed.length).toBeLessThanOrEqual(2 * lines);
    expect(printed.length).toBeGreaterThan(2 * lines - 6);
    expect(text).toContain("NetworkPolicy ns0/p499\n  error ");
    expect(text).not.toContain("  info ");
    const shown = text.match(/NG027/g)?.length ?? 0;
    expect(text).toContain(`${500 - shown} findings more: --all shows them\n`);
    expect(formatTable(many(500), { all: true, lines }).match(/NG027/g)).toHaveLength(500);
  },
);

test("a few are shown whole", () => {
  expect(formatTable(many(3), { all: false })).not.toContain("more: --all");
});

test("what is left out counts for each policy", () => {
  const findings = Array.from({ length: 50 }, (_, at) =>
    equal.findings.slice(0, 3).map((finding): Finding => ({
      ...finding,
      policy: { ...finding.policy, name: `p${at}` },
    })),
  ).flat();
  const text = formatTable({ ...equal, findings }, { all: false, lines: 24 });
  const shown = text.match(/NG027/g)?.length ?? 0;
  expect(text).toContain(`${150 - 3 * shown} findings more: --all shows them\n`);
});
