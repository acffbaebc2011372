// Texts of pods are those of the pods as they are, on any path, and after a change no other is made again.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { pod } from "../../../test/support/facts.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";
import type { PodText } from "./pod-texts.ts";
import { podTextsOf } from "./pod-texts.ts";

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
        const texts = podTextsOf(pods, before);
        expect(texts.map(({ key, text }) => [key, text])).toEqual(
          podTextsOf(pods, []).map(({ key, text }) => [key, text]),
        );
        const changed = new Set(round.map(({ name }) => podKey("ns", name)));
        const made = texts.filter((one) => !before.includes(one)).map(({ key }) => key);
        expect(made.filter((key) => !changed.has(key))).toEqual([]);
        before = texts;
      }
    }),
  );
});
