// The commands that the documentation shows: every line after `$ ` in a block ```console, with the output that stands below it.
// A block says behind the word `console` where its commands run; nothing behind it: they run as they stand, offline.

import { globSync, readFileSync } from "node:fs";

/** Where the commands of a block run. `playground`: against what `make up` starts. The others are not run by the suite of documents. */
const places = {
  "": "in a folder that has the examples",
  playground: "against the database that `make up` starts",
  make: "not run here: a target of the Makefile, which must exist",
  lasts: "not run here: runs until somebody ends it; a suite of its own starts it",
  cluster: "not run here: needs a cluster or a database of the reader's",
} as const;

export type Place = keyof typeof places;

export interface ShownCommand {
  /** `docs/explain.md:10`. */
  readonly at: string;
  readonly place: Place;
  /** Without the comment behind it. */
  readonly command: string;
  /** The lines below it; none: no output is shown. */
  readonly output: readonly string[];
}

const fence = /^\s*```\s*(\S*)\s*(.*?)\s*$/;

/** README, CONTRIBUTING and the pages of docs/, without the decisions, which are of their day. */
export function pages(root: string): readonly string[] {
  return globSync(["*.md", "docs/*.md", "docs/lint/*.md", "examples/*/README.md"], { cwd: root }).sort();
}

/** Throws when a block says a place that there is not. */
export function shownCommands(root: string): readonly ShownCommand[] {
  return pages(root).flatMap((page) => commandsOf(page, readFileSync(`${root}/${page}`, "utf8")));
}

export function commandsOf(page: string, text: string): readonly ShownCommand[] {
  return blocksOf(page, text).flatMap(({ place, lines, first }) => {
    const found: ShownCommand[] = [];
    for (const [index, line] of lines.entries()) {
      const at = `${page}:${first + index}`;
      const last = found.at(-1);
      if (line.startsWith("$ ")) {
        found.push({ at, place, command: line.slice(2).replace(/\s{2,}#.*$/, ""), output: [] });
      } else if (last !== undefined) {
        found[found.length - 1] = { ...last, output: [...last.output, line] };
      } else if (place !== "cluster") {
        throw new Error(`${at}: output of no command`);
      }
    }
    return found;
  });
}

interface Block {
  readonly place: Place;
  readonly lines: readonly string[];
  /** The number of its first line, from 1. */
  readonly first: number;
}

/** The blocks ```console of a page. */
function blocksOf(page: string, text: string): readonly Block[] {
  const all = text.split("\n");
  const fences = all.flatMap((line, index) => (fence.test(line) ? [index] : []));
  return fences.flatMap((open, nth) => {
    const [, language, rest = ""] = fence.exec(all[open] ?? "") ?? [];
    if (nth % 2 === 1 || language !== "console") return [];
    const lines = all.slice(open + 1, fences[nth + 1]);
    return [{ place: placeOf(rest, `${page}:${open + 1}`), lines, first: open + 2 }];
  });
}

function placeOf(word: string, at: string): Place {
  for (const place of Object.keys(places)) if (isPlace(place) && place === word) return place;
  throw new Error(`${at}: "console ${word}" is none of ${Object.keys(places).join(", ")}`);
}

function isPlace(word: string): word is Place {
  return Object.hasOwn(places, word);
}
