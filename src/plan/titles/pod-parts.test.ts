// A part means exactly its pods: its text, asked of every pod of its namespace, gives them and no other.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { pod } from "../../../test/support/facts.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { Part } from "./pod-parts.ts";
import { PodParts } from "./pod-parts.ts";

const label = fc.constantFrom("a", "b", "c", "d", "e");
const labels = fc.record({ app: label, tier: label, role: label }, { requiredKeys: [] });
const worlds = fc
  .array(fc.record({ home: fc.constantFrom("x", "y", "z"), labels }), { minLength: 1, maxLength: 14 })
  .map(
    (drawn) =>
      new Map(
        drawn.map(({ home, labels: own }, at) => [
          podKey(home, `p${at}`),
          pod(home, `p${at}`, { labels: plain(own) }),
        ]),
      ),
  );

function plain(own: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(own));
}

/** `app=a` or `app in (a,b)`. */
function holds({ labels: own }: PodFact, text: string): boolean {
  const [, key = "", value, values = ""] = /^([^= ]+)(?:=(.*)| in \((.*)\))$/.exec(text) ?? [];
  const has = own.get(key);
  return has !== undefined && (value === undefined ? values.split(",").includes(has) : has === value);
}

function meant({ namespace, how, text, pods }: Part, world: ReadonlyMap<PodKey, PodFact>): readonly PodKey[] {
  const own = [...world].filter(([, one]) => one.namespace === namespace);
  const is: Readonly<Record<Part["how"], (key: PodKey, one: PodFact) => boolean>> = {
    whole: () => true,
    label: (_, one) => holds(one, text),
    but: (_, one) => !holds(one, text),
    pods: (key) => pods.includes(key),
  };
  return own.filter(([key, one]) => is[how](key, one)).map(([key]) => key);
}

test("parts hold the pods that they say, each pod is in one, and what is left is the rest", () => {
  const hows = new Set<string>();
  fc.assert(
    fc.property(
      worlds.chain((world) => fc.tuple(fc.constant(world), fc.subarray([...world.keys()]))),
      ([world, chosen]) => {
        const parts = new PodParts(world);
        for (const [keys, made] of [
          [chosen, parts.of(chosen)],
          [[...world.keys()].filter((key) => !chosen.includes(key)), parts.left(chosen)],
        ] as const) {
          expect(made.flatMap(({ pods }) => pods).toSorted()).toEqual(keys.toSorted());
          for (const part of made) {
            hows.add(part.how);
            expect(meant(part, world).toSorted()).toEqual(part.pods.toSorted());
          }
        }
        const [only] = chosen;
        // The other end is missing in no namespace.
        const rest = [...world.keys()].filter((key) => key !== only);
        if (only !== undefined && rest.length > 0) {
          expect(parts.of(rest, only).every(({ how }) => how === "whole")).toBe(true);
          expect(parts.isAll(rest, only)).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect([...hows].sort()).toEqual(["but", "label", "pods", "whole"]);
});

test("labels that controllers give are the last choice, and one pod is called by its name instead", () => {
  const given = (name: string, tier: string, hash: string) =>
    [podKey("x", name), pod("x", name, { labels: { "pod-template-hash": hash, tier } })] as const;
  const parts = new PodParts(
    new Map([given("a", "web", "1"), given("b", "web", "1"), given("c", "db", "2")]),
  );
  expect(parts.of(["x/a", "x/b"])[0]).toMatchObject({ how: "label", text: "tier=web" });
  const twins = new PodParts(
    new Map([given("a", "web", "1"), given("b", "web", "2"), given("c", "db", "3")]),
  );
  expect(twins.of(["x/a"])[0]).toMatchObject({ how: "pods", text: "" });
});

test("the other end is missing in no namespace of what is left", () => {
  const world = new Map(
    (["x/a", "x/b", "y/c"] as const).map((key) => [key, pod(key.slice(0, 1), key.slice(2), {})] as const),
  );
  expect(new PodParts(world).left(["y/c"], "x/a")).toEqual([
    { namespace: "x", how: "whole", text: "", pods: ["x/b"] },
  ]);
});
