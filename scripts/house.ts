// The size of the house, as docs/design.md has it: `node scripts/house.ts [folder of a checkout]`. Of src/ without tests: files and
// lines, folders of more than 20 files, the longest file and function, and the lines of the rooms that answer what policies decide.
// A function has the lines from its first to its last character, as lint counts them.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const most = 20;
const judging = ["verdicts", "crossings", "explain", "can", "matrix", "plan", "lint", "migrate", "unknowns"];

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");

interface Measured {
  readonly name: string;
  readonly lines: number;
}

function linesOf(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function longestFunction(name: string, text: string): Measured {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  let longest: Measured = { name, lines: 0 };
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const lines = linesOf(node.getText(file));
      if (lines > longest.lines)
        longest = { name: `${name} ${node.name?.getText(file) ?? ""}`.trim(), lines };
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return longest;
}

const longestOf = (all: readonly Measured[]): string => {
  const [first] = all.toSorted((a, b) => b.lines - a.lines);
  return first === undefined ? "none" : `${first.lines} lines, ${first.name}`;
};

const paths = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name.endsWith(".ts") && !one.name.endsWith(".test.ts"))
  .map(({ parentPath, name }) => relative(source, join(parentPath, name)));
const texts = new Map(paths.map((path) => [path, readFileSync(join(source, path), "utf8")]));
const files = Array.from(texts, ([name, text]): Measured => ({ name, lines: linesOf(text) }));
const sum = (all: readonly Measured[]): number => all.reduce((total, { lines }) => total + lines, 0);
const folders = Map.groupBy(paths, dirname);
const large = Array.from(folders, ([name, all]): Measured => ({ name, lines: all.length })).filter(
  ({ lines }) => lines > most,
);
const rooms = judging.map((room) => [room, files.filter(({ name }) => name.startsWith(`${room}/`))] as const);

process.stdout.write(
  [
    `files, lines: ${files.length}, ${sum(files)}`,
    `folders of more than ${most} files: ${large.length} ${large.map(({ name, lines }) => `${name} ${lines}`).join(", ")}`,
    `longest file: ${longestOf(files)}`,
    `longest function: ${longestOf(Array.from(texts, ([name, text]) => longestFunction(name, text)))}`,
    ...rooms.map(([room, all]) => `src/${room}/: ${all.length} files, ${sum(all)} lines`),
    "",
  ].join("\n"),
);
