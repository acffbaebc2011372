// Which names are learned: patterns.

import { describe, expect, test } from "@jest/globals";
import { searchSuffixes } from "./search-suffixes.ts";
import { WatchedNames } from "./watched.ts";

const search = searchSuffixes("cluster.local", []);

function watching(patterns: readonly string[]) {
  const names = new WatchedNames();
  names.watch({ patterns, search });
  return names;
}

describe("patterns", () => {
  test.each([
    ["www.example.org", "www.example.org", true],
    ["WWW.example.org.", "www.example.org", true],
    ["www.example.org", "a.www.example.org", false],
    ["*.example.org", "www.example.org", true],
    ["*.example.org", "a.b.example.org", true],
    ["*.example.org", "example.org", false],
    ["*.example.org", "www-example.org", false],
    ["*.example.org", "badexample.org", false],
    ["*example.org", "badexample.org", true],
    ["api-*.example.org", "api-1.eu.example.org", true],
    ["api-*.example.org", "web-1.example.org", false],
    ["*", "anything.at.all", true],
    ["ab*ba", "aba", false],
    ["ab*ba", "abba", true],
    ["a*b*c", "abc", false],
  ])("%s, %s: %s", (pattern, name, isWatched) => {
    expect(watching([pattern]).watches(name)).toBe(isWatched);
  });

  test("the last patterns count", () => {
    const names = watching(["www.example.org", "*.example.net"]);
    names.watch({ patterns: ["www.example.net"], search });
    const asked = ["www.example.org", "a.example.net", "www.example.net"];
    expect(asked.map((name) => names.watches(name))).toEqual([false, false, true]);
    expect([names.hasWildcards, watching(["www.example.org", "*.a"]).hasWildcards]).toEqual([false, true]);
  });
});
