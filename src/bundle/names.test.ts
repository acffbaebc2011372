// Names and addresses by keyed hashes: wherever they stand, always the same, and nothing else.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Names } from "./names.ts";

function knowing(...names: readonly string[]): Names {
  const known = new Names("key");
  for (const name of names) known.learn("x", name);
  return known;
}

const word = (names: Names, name: string) => names.text(name);

test("a name is replaced wherever it stands for itself, the longest first", () => {
  const names = knowing("ibex", "ibex-7f", "shop.marmot/tier");
  const [ibex, longer, key] = ["ibex", "ibex-7f", "shop.marmot/tier"].map((one) => word(names, one));
  expect(ibex).toMatch(/^x-[\da-f]{10}$/);
  expect(names.text('pod="ibex-7f" in ibex, port ibex_ibex-7f; shop.marmot/tier=ibex')).toBe(
    `pod="${longer}" in ${ibex}, port ${ibex}_${longer}; ${key}=${ibex}`,
  );
  // A name of something that was never listed, beside one that is known.
  expect(names.text("ibex-9a ibexes")).toBe(`${ibex}-9a ibexes`);
});

test("addresses of both families, networks and MACs; not times and versions", () => {
  const names = new Names("key");
  const text = "10.0.0.7 10.0.0.0/8 10.0.0.7:80 fd00::7 [fd00::7]:80 0a:58:0a:00:00:07";
  const [first, network, , six] = names.text(text).split(" ");
  expect(names.text("10.0.0.7")).toBe(first);
  expect(network).toMatch(/^ip-[\da-f]{10}\/8$/);
  expect(names.text("x fd00::7 y")).toBe(`x ${six} y`);
  expect(names.text(text)).not.toMatch(/10\.0|fd00|0a:58/);
  for (const same of ["127.0.0.1:6641", "::1", "2026-11-27T10:11:12.345Z", "v1.34.1", "7.3.0"])
    expect(names.text(same)).toBe(same);
});

test("another key gives other words, and the legend says which is which", () => {
  const [one, two] = [new Names("a"), new Names("b")];
  for (const names of [one, two]) names.learn("pod", "ibex");
  expect(one.text("ibex")).not.toBe(two.text("ibex"));
  expect(one.legend).toEqual({ [one.text("ibex")]: "ibex" });
});

test("what every cluster has stays, and so do the names of fields", () => {
  const names = knowing("kube-system", "kubernetes.io/metadata.name", "true", "8080", "kind");
  expect(names.text("kube-system kubernetes.io/metadata.name true 8080")).toBe(
    "kube-system kubernetes.io/metadata.name true 8080",
  );
  expect(Object.keys(names.value({ kind: "kind" }) as object)).toEqual(["kind"]);
});

test("no name is left in any text that has it between other characters", () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{2,6}(-[a-z0-9]{1,5}){0,2}$/);
  const between = fc.constantFrom(" ", "/", ":", "_", '"', "=", ",", "\n", "(", "-", ".");
  fc.assert(
    fc.property(
      fc.array(label, { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(), between)),
      (list, places) => {
        const names = knowing(...list);
        const text = places.map(([at, by]) => `${list[at % list.length] ?? ""}${by}`).join("");
        const parts = names.text(text).replaceAll(/x-[\da-f]{10}/g, "");
        for (const name of list) expect(`|${parts}|`).not.toMatch(new RegExp(`[^a-z0-9]${name}[^a-z0-9]`));
      },
    ),
  );
});
