// Which names are learned: patterns, search suffixes, and the limit below a wildcard. Random walks are compared with a list that is kept
// plainly.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { LearnedNames, mostOfWildcard } from "./learned.ts";

function watching(
  patterns: readonly string[],
  { suffixes = [] as readonly string[], most = mostOfWildcard } = {},
) {
  const names = new LearnedNames(most);
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
    expect(watching([pattern]).admit(name)).toBe(isWatched);
  });

  test("an exact name is known before it is answered, one below a wildcard after that", () => {
    const names = watching(["www.example.org", "*.example.net"]);
    expect([names.knows("www.example.org"), names.knows("a.example.net")]).toEqual([true, false]);
    names.admit("a.example.net");
    expect([names.knows("a.example.net"), names.knows("b.example.net"), names.size]).toEqual([
      true,
      false,
      1,
    ]);
    expect([names.hasWildcards, watching(["www.example.org"]).hasWildcards]).toEqual([true, false]);
  });
});

describe("search suffixes", () => {
  const names = watching(["*.example.org"], {
    suffixes: ["svc.cluster.local", "cluster.local", "corp.example."],
  });
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

describe("the limit", () => {
  test("the name that was asked for least recently gives way", () => {
    const names = watching(["*.a"], { most: 2 });
    for (const name of ["1.a", "2.a", "1.a", "3.a"]) expect(names.admit(name)).toBe(true);
    expect([names.size, names.givenWay, names.knows("1.a"), names.knows("2.a")]).toEqual([2, 1, true, false]);
  });

  test("not while another wildcard holds it, or it is an exact name", () => {
    const names = watching(["*.a", "1*", "2.a"], { most: 1 });
    names.admit("1.a");
    names.admit("2.a");
    expect(names.knows("1.a")).toBe(true);
    names.admit("3.a");
    expect(names.knows("2.a")).toBe(true);
    expect(names.givenWay).toBe(2);
  });

  test("100,000 names below a wildcard: 1,024 are held", () => {
    const names = watching(["*.example.org"]);
    for (let name = 0; name < 100_000; name++) names.admit(`n${name}.example.org`);
    expect([names.size, names.givenWay]).toEqual([1024, 100_000 - 1024]);
    expect(names.knows("n99999.example.org")).toBe(true);
  });
});

test("names of a wildcard that is no longer watched are given up, those of others stay", () => {
  const names = watching(["*.a", "1*"]);
  for (const name of ["1.a", "2.a", "1.b"]) names.admit(name);
  names.watch({ patterns: ["1*"], suffixes: [] });
  expect(["1.a", "2.a", "1.b"].map((name) => names.knows(name))).toEqual([true, false, true]);
  names.watch({ patterns: ["1.b"], suffixes: [] });
  expect([names.knows("1.a"), names.knows("1.b"), names.size]).toEqual([false, true, 0]);
});

const patterns = fc.uniqueArray(fc.constantFrom("*.a", "*.b", "1*", "*", "1.a", "2*.b"), { maxLength: 4 });
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.nat(4), fc.constantFrom("a", "b")).map((parts) => parts.join(".")) },
    patterns,
  ),
  { maxLength: 40 },
);

test("random walks: as lists, one a wildcard, that are kept plainly", () => {
  fc.assert(
    fc.property(patterns, steps, fc.integer({ min: 1, max: 3 }), (first, walk, most) => {
      const names = watching(first, { most });
      let lists = new Map(first.map((pattern) => [pattern, [] as string[]]));
      const isLike = (name: string, pattern: string) =>
        new RegExp(`^${pattern.replaceAll(".", "\\.").replace("*", ".*")}$`).test(name);
      const known = () =>
        new Set([...lists].flatMap(([pattern, list]) => (pattern.includes("*") ? list : [pattern])));
      for (const step of walk) {
        if (typeof step === "string") {
          const matching = [...lists].filter(([pattern]) => isLike(step, pattern));
          for (const [pattern, list] of matching)
            lists.set(pattern, [...list.filter((one) => one !== step), step].slice(-most));
          expect(names.admit(step)).toBe(matching.length > 0);
        } else {
          lists = new Map(step.map((pattern) => [pattern, lists.get(pattern) ?? []]));
          names.watch({ patterns: step, suffixes: [] });
        }
        const now = known();
        for (const name of ["0.a", "1.a", "2.b", "4.b"]) expect(names.knows(name)).toBe(now.has(name));
      }
    }),
    { numRuns: 500 },
  );
});
