// Links between the pages lead to files and headings that exist.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "@jest/globals";
import { pages } from "./pages.ts";
import { root } from "./reader.ts";

const read = (page: string) => readFileSync(join(root, page), "utf8");

/** As GitHub makes them: lower case, words joined by `-`, without marks; a second one of a name has -1. */
function anchors(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const text = read(page).replaceAll(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => {
    const words = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const times = seen.get(words) ?? 0;
    seen.set(words, times + 1);
    return times === 0 ? words : `${words}-${times}`;
  });
  return new Set(headings);
}

function brokenLinks(page: string): readonly string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : relative(root, join(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchors(target).has(anchor);
  });
}

test.each([...pages(root), ...globSync("docs/decisions/*.md", { cwd: root }).sort()])("%s", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});
