// Which names are learned: patterns and search suffixes.

import { describe, expect, test } from "@jest/globals";
import { WatchedNames } from "./watched.ts";

function watching(patterns: readonly string[], suffixes: readonly string[] = []) {
  const names = new WatchedNames();
  names.watch({ patterns, suffixes });
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
    names.watch({ patterns: ["www.example.net"], suffixes: [] });
    const asked = ["www.example.org", "a.example.net", "www.example.net"];
    expect(asked.map((name) => names.watches(name))).toEqual([false, false, true]);
    expect([names.hasWildcards, watching(["www.example.org", "*.a"]).hasWildcards]).toEqual([false, true]);
  });
});

describe("search suffixes", () => {
  const names = watching(["*.example.org"], ["svc.cluster.local", "cluster.local", "corp.example."]);
  test.each([
    ["www.example.org.shop.svc.cluster.local", "www.example.org", "www.example.org"],
    ["www.example.org.svc.cluster.local", "www.example.org", "www.example.org"],
    ["www.example.org.corp.example", "www.example.org", "www.example.org"],
    // Without the alias that autopath writes it may be a Pod's name of a headless Service.
    ["www.example.org.shop.svc.cluster.local", null, "www.example.org.shop.svc.cluster.local"],
    ["www.example.org.shop.svc.cluster.local", "example.org", "www.example.org.shop.svc.cluster.local"],
    ["www.example.org.shop.svc.cluster.local", "www.example", "www.example"],
    ["www.example.org.evil.example", "www.example.org", "www.example.org.evil.example"],
    ["www.example.org.evilcorp.example", "www.example.org", "www.example.org.evilcorp.example"],
    ["www.example.org", "cdn.example.net", "www.example.org"],
    ["www.example.org", "www.example.org", "www.example.org"],
  ])("%s with the alias %s: %s", (name, alias, expected) => {
    expect(names.nameOf({ name, alias })).toBe(expected);
  });
});
