// The matrix against every pair of ends, one by one, of random classes.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { addressesPlace, classesOf, matrixOf } from "./matrix.ts";
import type { VerdictClass } from "./report.ts";
import type { PodKey } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";

const keys = ["a/1", "a/2", "b/1", "c/1"].map((text) => {
  const [space = "", name = ""] = text.split("/");
  return podKey(space, name);
});
const ends = fc.record({
  title: fc.constant(""),
  pods: fc.subarray(keys),
  workloads: fc.subarray(
    ["a", "d"].map((namespace) => ({ group: "apps", kind: "Job", namespace, name: "x" })),
  ),
  addresses: fc.constantFrom([], ["192.0.2.0/24"]),
});
const classes = fc.array(
  fc.record({ from: ends, to: ends, old: fc.constantFrom("allow", "deny"), new: fc.constant("unknown") }),
  { maxLength: 4 },
);

interface Drawn {
  readonly pods: readonly PodKey[];
  readonly workloads: readonly { readonly namespace: string }[];
  readonly addresses: readonly string[];
}

test("a cell has exactly the classes that hold a connection between its places", () => {
  fc.assert(
    fc.property(classes, (drawn) => {
      const report = { changes: drawn as unknown as readonly VerdictClass[] };
      const wanted = new Map<string, Set<number>>();
      for (const [at, { from, to }] of drawn.entries()) {
        const all = ({ pods, workloads, addresses }: Drawn) => [
          ...workloads.map(({ namespace }) => ({ place: namespace, key: Symbol("a pod of it") })),
          ...pods.map((key: string) => ({ place: key.slice(0, key.indexOf("/")), key })),
          ...addresses.map((key) => ({ place: addressesPlace, key })),
        ];
        const pairs = all(from).flatMap((one) => all(to).map((other) => [one, other] as const));
        for (const [one, other] of pairs) {
          const isNeither = one.place === addressesPlace && other.place === addressesPlace;
          if (one.key === other.key || isNeither) continue;
          const cell = `${one.place} > ${other.place}`;
          wanted.set(cell, (wanted.get(cell) ?? new Set()).add(at));
        }
      }
      const { cells, from, to } = matrixOf(report);
      expect(cells.map((cell) => `${cell.from} > ${cell.to}`).sort()).toEqual([...wanted.keys()].sort());
      for (const cell of cells) {
        const own = wanted.get(`${cell.from} > ${cell.to}`);
        expect(Object.values(cell.changes).reduce((sum, one) => sum + one, 0)).toBe(own?.size);
        const found = classesOf(report, cell.from, cell.to);
        expect(found).toEqual([...(own ?? [])].map((at) => drawn[at]));
      }
      expect(classesOf(report, "nowhere", "a")).toEqual([]);
      expect(new Set(from)).toEqual(new Set(cells.map((cell) => cell.from)));
      expect(new Set(to)).toEqual(new Set(cells.map((cell) => cell.to)));
    }),
  );
});
