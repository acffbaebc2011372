// Of which name an answer to a question with a search suffix is: as autopath writes it, of what was asked without the suffix; of anything
// else, of the question.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { searchSuffixes } from "./search-suffixes.ts";

const suffixes = searchSuffixes("cluster.local", ["corp.example.", "EU.corp.example"]);

test("what a pod's resolv.conf has", () => {
  expect(suffixes.texts).toEqual([
    ...["*.svc.cluster.local", "svc.cluster.local", "cluster.local", "corp.example", "eu.corp.example"],
  ]);
});

const www = "www.example.org";
const shop = "shop.svc.cluster.local";

describe("as autopath answers", () => {
  test.each([
    [`${www}.${shop}`, www],
    [`${www}.svc.cluster.local`, www],
    [`${www}.cluster.local`, www],
    [`${www}.corp.example`, www],
    // The suffix of the question was no use, and another one was: the name is below that.
    [`intranet.${shop}`, "intranet.corp.example"],
    [`intranet.${shop}`, "intranet.eu.corp.example"],
    [`db.prod.${shop}`, "db.prod.svc.cluster.local"],
    // Of a resolv.conf with one suffix below the other either may be it.
    ["www.eu.corp.example", "www"],
    ["www.eu.corp.example", "www.eu"],
  ])("%s with the alias %s is the alias", (name, alias) => {
    expect(suffixes.nameOf({ name, alias })).toBe(alias);
  });
});

describe("the name stays", () => {
  test.each([
    ["no alias: a Pod of a headless Service may have the name", `${www}.${shop}`, null],
    ["it is not before the suffix", `${www}.${shop}`, "cdn.example.net"],
    ["a part of it", `${www}.${shop}`, "example.org"],
    ["a part at the front, which no suffix follows", `${www}.${shop}`, "www.example"],
    ["more labels than a namespace has", `${www}.web.${shop}`, www],
    ["two suffixes", `${www}.${shop}.${shop}`, www],
    ["two suffixes, one of them for another", `${www}.${shop}.${shop}`, `${www}.corp.example`],
    ["a suffix alone", shop, "shop"],
    ["the domain alone", "cluster.local", "cluster"],
    ["a suffix of another", `${www}.evil.example`, www],
    ["a suffix that only ends as one", `${www}.evilcorp.example`, www],
    ["an alias in another namespace", `db.${shop}`, "db.prod.svc.cluster.local"],
    ["an alias below a name of another", `${www}.${shop}`, `${www}.evil.example`],
    ["no suffix", www, "cdn.example.net"],
    ["itself", www, www],
  ])("%s: %s, %s", (_, name, alias) => {
    expect(suffixes.nameOf({ name, alias })).toBe(name);
  });

  test("without the flag, of suffixes of nodes", () => {
    const ofCluster = searchSuffixes("cluster.local", []);
    for (const [name, alias] of [
      [`${www}.corp.example`, www],
      [`intranet.${shop}`, "intranet.corp.example"],
    ] as const)
      expect(ofCluster.nameOf({ name, alias })).toBe(name);
  });
});

/** Names that often end in a suffix, and begin alike. */
const parts = fc.array(
  fc.constantFrom(
    "a",
    "b.a",
    "svc",
    "a.svc.cluster.local",
    "svc.cluster.local",
    "cluster.local",
    "corp.example",
  ),
  { maxLength: 2 },
);
const list = ["svc.cluster.local", "cluster.local", "corp.example"];
const given = searchSuffixes("cluster.local", ["corp.example"]);

/** Says the rule label by label, with the namespace as any first label. */
function isAutopath(name: string, alias: string): boolean {
  const labels = name.split(".");
  const bases = labels.flatMap((label, at) => {
    const [base, rest] = [labels.slice(0, at), labels.slice(at).join(".")];
    const isSuffix = list.includes(rest) || rest === `${label}.svc.cluster.local`;
    return isSuffix ? [base.join(".")] : [];
  });
  if (bases.includes("")) return false;
  return bases.some((base) => [base, ...list.map((suffix) => `${base}.${suffix}`)].includes(alias));
}

test("random names: the alias, or the name", () => {
  let aliases = 0;
  fc.assert(
    fc.property(fc.constantFrom("a", "b.a", "svc"), parts, parts, (base, ofName, ofAlias) => {
      const [name, alias] = [ofName, ofAlias].map((some) => [base, ...some].join(".")) as [string, string];
      const expected = isAutopath(name, alias) ? alias : name;
      if (expected !== name) aliases++;
      expect(given.nameOf({ name, alias })).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
  expect(aliases).toBeGreaterThan(50);
});
