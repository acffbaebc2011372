// No file holds up the others: hostile texts of half a megabyte are read or refused in a second, or in a few times the time of
// a plain manifest of that size, which is measured then, so that a slow machine fails nothing. What is refused is one problem.

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readableKinds } from "../objects/kinds.ts";
import { formatSourceProblem } from "../source-problem.ts";
import { readText } from "./files.ts";
import { loadManifests } from "./load.ts";
import { readManifest } from "./manifest.ts";

const wanted = 500_000;
const kinds = readableKinds([]);

/** Units between a head and a tail, up to the size. */
function filled(unit: (i: number) => string, head = "", tail = "", size = wanted): string {
  const parts = [head];
  let length = head.length + tail.length;
  for (let i = 0; length < size; i++) {
    const part = unit(i);
    parts.push(part);
    length += part.length;
  }
  return [...parts, tail].join("");
}

function read(text: string): {
  readonly ms: number;
  readonly problems: readonly string[];
  readonly isRead: boolean;
} {
  // What the thread computes: others that the machine runs meanwhile do not count.
  const begun = process.threadCpuUsage();
  const { definitions, problems } = readManifest("f.yaml", text, kinds);
  const { user, system } = process.threadCpuUsage(begun);
  const ms = (user + system) / 1000;
  return { ms, problems: problems.map(formatSourceProblem), isRead: definitions !== null };
}

const pod = (i: number) => `---\napiVersion: v1\nkind: Pod\nmetadata: {name: p${i}, namespace: n}\n`;
const quarter = filled(pod, "", "", wanted / 4);
/** Throws where it is long beside a plain manifest of the same size, now. */
function expectUsual(ms: number): void {
  if (ms > 1000) expect(ms).toBeLessThan(1000 + 4 * (4 * read(quarter).ms));
}
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

const refused: readonly (readonly [string, () => string, RegExp])[] = [
  ["an alias to each of many anchors", () => filled((i) => `- &a${i} 1\n- *a${i}\n`), /too many aliases/],
  ["aliases to one anchor", () => filled((i) => `k${i}: *a\n`, "x: &a {b: c}\n"), /too many aliases/],
  [
    "an alias to the alias before",
    () => filled((i) => `a${i + 1}: &a${i + 1} [*a${i}]\n`, "a0: &a0 1\n"),
    /deeper/,
  ],
  [
    "aliases below an anchor",
    () =>
      `${numbers(2200)
        .map((i) => `k${i}: &a${i} 1\n`)
        .join("")}b: &b [${numbers(2200)
        .map((i) => `*a${i}`)
        .join()}]\nc: *b\n${filled((i) => `z${i}: 1\n`)}d: [${"*b, ".repeat(400)}]\n`,
    /too many aliases/,
  ],
  [
    "one long text many times",
    () => `a: &a ${"x".repeat(wanted / 2)}\nb: [${"*a,  ".repeat(wanted / 10)}]\n`,
    /aliases/,
  ],
  [
    "merges of a wide map",
    () =>
      `x: &a\n${numbers(30_000)
        .map((i) => `  k${i}: 1\n`)
        .join("")}${numbers(40)
        .map((i) => `y${i}:\n  <<: *a\n`)
        .join("")}`,
    /too many aliases/,
  ],
  ["commas", () => filled(() => ",", "[", "]"), /dense/],
  ["brackets that are closed", () => filled(() => "[".repeat(99) + "]".repeat(99) + ",", "[", "1]"), /dense/],
  ["open brackets", () => "[".repeat(wanted), /deeper/],
  ["open braces", () => "{a: ".repeat(wanted / 4), /deeper/],
  ["dashes", () => "- ".repeat(wanted / 2), /deeper/],
  ["question marks", () => "? ".repeat(wanted / 2), /deeper/],
  ["brackets of JSON", () => `{"a":${"[".repeat(wanted / 2)}${"]".repeat(wanted / 2)}}`, /deeper/],
  ["objects of JSON", () => '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000), /deeper/],
  ["JSON after JSON", () => filled(() => "{}\n"), /dense/],
  ["unknown escapes", () => `a: "${"\\q".repeat(wanted / 2)}"`, /escape/],
  [
    "definitions of tags",
    () =>
      `%YAML 1.1\n${numbers(20_000)
        .map((i) => `%TAG !e${i}! x\n`)
        .join("")}${"--- a\n".repeat(60_000)}`,
    /%TAG/,
  ],
  ["tabs", () => filled(() => "\ta: b\n", "x:\n"), /Tabs|dense/],
];

test.each(refused)("%s: refused as one problem, in the time of a plain manifest", (_, make, reason) => {
  const text = make();
  const { ms, problems, isRead } = read(text);
  expect(problems).toEqual([expect.stringMatching(reason)]);
  expect(problems[0]).toMatch(/^f\.yaml:\d+:\d+: error: [^\p{Cc}]+$/u);
  expect(isRead).toBe(false);
  expectUsual(ms);
});

test.each([
  ["an ordered map", () => filled((i) => `  - key-${i}: value\n`, "a: !!omap\n")],
  ["an ordered map of YAML 1.1", () => filled((i) => `  - key-${i}: value\n`, "%YAML 1.1\n---\na: !!omap\n")],
  ["a set", () => filled((i) => `  ? k${i}\n`, "a: !!set\n")],
  ["a long text", () => `a: ${"x".repeat(wanted)}`],
  ["a text of many lines", () => filled(() => "  word\n", "a: b\n")],
  ["a block of text", () => filled(() => "  x\n    y\n\n", "a: >\n")],
  ["a block that begins with empty lines", () => `a: |\n${"\n".repeat(wanted)}  x`],
  ["a number of many digits", () => `a: ${"9".repeat(wanted)}`],
  ["a quoted text of spaces", () => `a: "${" ".repeat(wanted)}"`],
  ["spaces before a comment", () => `a: x${" ".repeat(wanted)}#y`],
  ["comments", () => filled((i) => `# c\nkey-${i}: 1 # d\n`)],
  ["a wide list of JSON", () => filled(() => "1,", '{"a":[', "1]}")],
])("%s: read in the time of a plain manifest", (_, make) => {
  const text = make();
  const { ms, isRead } = read(text);
  expect(isRead).toBe(true);
  expectUsual(ms);
});

test("of thousands of findings in a file the first hundred are told, and how many more there are", () => {
  const folder = mkdtempSync(join(tmpdir(), "ng-hostile-"));
  try {
    const path = join(folder, "f.yaml");
    writeFileSync(path, "--- a\n".repeat(5000));
    const { problems } = loadManifests([path], []);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)?.problem.message).toBe("has 4900 more findings, which are not shown");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a file beyond the limit is refused by its size, and an endless one after the limit", () => {
  const folder = mkdtempSync(join(tmpdir(), "ng-hostile-"));
  try {
    const path = join(folder, "f.yaml");
    writeFileSync(path, "a: b\n");
    expect(readText(path)).toEqual({ text: "a: b\n" });
    truncateSync(path, 100 * 2 ** 30);
    expect(readText(path)).toEqual({ error: "is larger than 64 MiB", passing: false });
    expect(readText("/dev/zero")).toEqual({ error: "is larger than 64 MiB", passing: false });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
