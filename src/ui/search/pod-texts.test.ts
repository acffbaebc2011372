// Texts of pods are those of the pods as they are, on any path, and after a change no other is made again; and what is found in all of
// them at once is what is found in each.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { pod } from "../../../test/support/facts.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { PodText } from "./pod-texts.ts";
import { hasWords, PodTexts, podTextsOf } from "./pod-texts.ts";

const changes = fc.array(
  fc.record({ name: fc.constantFrom("a", "b", "c", "d"), label: fc.option(fc.nat(3)) }),
);

test("only pods that changed get another text", () => {
  fc.assert(
    fc.property(fc.array(changes), (rounds) => {
      const pods = new Map<PodKey, PodFact>();
      let before: readonly PodText[] = [];
      for (const round of rounds) {
        for (const { name, label } of round) {
          const key = podKey("ns", name);
          if (label === null) pods.delete(key);
          else pods.set(key, pod("ns", name, { labels: { n: `v${label}` } }));
        }
        const texts = podTextsOf([...pods.values()], before);
        expect(texts.map(({ key, text }) => [key, text])).toEqual(
          podTextsOf([...pods.values()], []).map(({ key, text }) => [key, text]),
        );
        const changed = new Set(round.map(({ name }) => podKey("ns", name)));
        const made = texts.filter((one) => !before.includes(one)).map(({ key }) => key);
        expect(made.filter((key) => !changed.has(key))).toEqual([]);
        before = texts;
      }
    }),
  );
});

const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "=", "-"), maxLength: 4 });

test("what has every word is found in the order of the pods, whatever the names are", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ name: fc.string({ unit: fc.constantFrom("a", "b", "\n", " ") }), label: letters }),
        {
          maxLength: 6,
        },
      ),
      fc.array(letters, { maxLength: 3 }),
      (named, words) => {
        const pods = named.map(({ name, label }, at) => pod("ns", `${name}${at}`, { labels: { a: label } }));
        const texts = podTextsOf(pods, []);
        expect([...new PodTexts(pods, texts).having(words)]).toEqual(
          texts.filter((one) => hasWords(one, words)),
        );
      },
    ),
  );
});
