// Markdown of a plan: within what GitHub takes, however large the plan, and no text of a user is markup.

import { describe, expect, test } from "@jest/globals";
import { planMarkdown } from "./markdown.ts";
import type { PlanReport, SummaryLine, VerdictClass } from "../report.ts";
import { planText } from "./text.ts";

const decider = { verdict: "allow", by: "default" } as const;
const nobody = { egress: decider, ingress: decider };

function classOf(title: string, at: number): VerdictClass {
  const ends = { title, pods: [], workloads: [], addresses: [] };
  return {
    ...{
      families: ["IPv4"],
      from: ends,
      to: ends,
      traffic: [{ protocol: "tcp", ports: [[at + 1, at + 1]] }],
    },
    ...{ old: at % 2 === 0 ? "allow" : "deny", new: at % 2 === 0 ? "deny" : "allow" },
    ...{ by: { old: nobody, new: nobody }, example: { from: "", to: "", protocol: "tcp", port: 1 } },
  };
}

function lineOf(title: string, at: number): SummaryLine {
  const one = classOf(title, at);
  return {
    ...{ change: one.new === "deny" ? "denied" : "allowed", old: one.old, new: one.new },
    ...{ families: one.families, from: title, to: title, traffic: one.traffic },
    ...{
      causes: [title],
      isExcerpt: false,
      tried: 1,
      effects: [],
      edits: [],
      classes: [at],
      dividedByNodes: [at],
    },
    isOwnNode: false,
  };
}

const everything = { rows: true, nodes: true };

function reportOf(title: string, count: number): PlanReport {
  const changes = Array.from({ length: count }, (_, at) => ({
    ...{ op: "add", table: "ACL", row: title, id: `a:b:${title} ${at}`, policy: null, columns: {} },
  })) as PlanReport["rows"]["changes"];
  return {
    ...{ schema: "northgate.plan/1", against: "kube", pods: { added: [], removed: [] }, caveats: [] },
    workloads: { added: [], removed: [] },
    objects: {
      added: Array.from({ length: count }, () => ({ group: "", kind: "Pod", namespace: null, name: title })),
      changed: [],
      removed: [],
    },
    rows: { add: count, change: 0, delete: 0, changes },
    verdicts: {
      changes: Array.from({ length: count }, (_, at) => classOf(title, at)),
      summary: Array.from({ length: count }, (_, at) => lineOf(title, at)),
    },
    ...{ unjudged: [], notes: [] },
  };
}

describe("markdown", () => {
  test("has under 60,000 characters, the first classes and a count of the others", () => {
    const text = planMarkdown(reportOf("x".repeat(500), 5000), everything);
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain("… and 4980 more changes.");
    expect(text).toMatch(/- … and \d+ more\n\n<\/details>\n$/);
  });

  test("even where every character is escaped", () => {
    expect(planMarkdown(reportOf("@".repeat(500), 5000), everything).length).toBeLessThan(60_000);
  });

  test("text of users makes no markup, no column, no link, no mention", () => {
    const text = planMarkdown(
      reportOf("a|b <img src=x> [c](http://d.e) **f** @g `h` #1\n\u001b[31m", 1),
      everything,
    );
    expect(text).not.toMatch(/<img|\[c\]|\*\*f|@g|`h`| #1|http:\/\//);
    expect(text).not.toContain("\u001b");
    const rows = text.split("\n").filter((line) => line.startsWith("| **NEWLY"));
    expect(rows.map((row) => row.split("|").length)).toEqual([7]);
  });

  test("nothing differs: one line says so", () => {
    expect(planMarkdown(reportOf("", 0), everything)).toBe(
      "### Network policy plan: no verdict differs, no row differs\n",
    );
  });
});

test("a terminal gets no control character either, and counts what is cut", () => {
  const text = planText(reportOf("a\u001b[31mb", 100), everything);
  expect(text).not.toContain("\u001b");
  expect(text).toContain("… and 60 more; -o json has all");
});
