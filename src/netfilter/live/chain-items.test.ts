// Items of a chain that stay beside the desired ones: where they stand decides what is evaluated first.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { withKept } from "./chain-items.ts";
import type { Item } from "./language.ts";

const item = (target: string): Item => ({ rules: [`-A NG-IN -j ${target}`, `-A NG-IN -j RETURN`], target });
const items = (targets: string): readonly Item[] => Array.from(targets, item);
const merged = (desired: string, before: string, kept: string): string =>
  withKept(items(desired), items(before), ({ target }) => kept.includes(target))
    .map(({ target }) => target)
    .join("");

describe("items of before that are kept", () => {
  test.each([
    ["in front, where nothing was before it", "ab", "kab", "k", "kab"],
    ["behind the one that it was behind", "ab", "akb", "k", "akb"],
    ["at the end, behind the last", "ab", "abk", "k", "abk"],
    ["behind the nearest that stays", "ac", "abkc", "k", "akc"],
    ["in their order, where two are kept", "ab", "akbl", "kl", "akbl"],
    ["one behind the other", "ab", "aklb", "kl", "aklb"],
    ["behind all that were before it, where these change places", "ba", "abk", "k", "bak"],
    ["only where they are kept", "ab", "axbk", "k", "abk"],
  ])("stand %s", (_, desired, before, kept, expected) => {
    expect(merged(desired, before, kept)).toBe(expected);
  });

  test("stand behind every one that was before them, and the others are as they are desired", () => {
    const targets: fc.Arbitrary<string[]> = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(targets, targets, targets, (desired, before, kept) => {
        const result = Array.from(merged(desired.join(""), before.join(""), kept.join("")));
        const stays = before.filter((one) => kept.includes(one) && !desired.includes(one));
        expect(result.filter((one) => !stays.includes(one))).toEqual(desired);
        expect(result.filter((one) => stays.includes(one))).toEqual(stays);
        for (const one of stays)
          for (const earlier of before.slice(0, before.indexOf(one)))
            if (result.includes(earlier)) expect(result.indexOf(earlier)).toBeLessThan(result.indexOf(one));
      }),
    );
  });
});
