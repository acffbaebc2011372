// What a key meant at a time, against lists of changes; and that nothing is kept for ever.

import { expect, test } from "@jest/globals";
import { keptMs, Timeline } from "./timeline.ts";

const start = 1_000_000;

test("is the value that held then, also where another one holds now", () => {
  const line = new Timeline<string, string>(5_000);
  line.set("10.0.0.1", "shop/web", start);
  line.set("10.0.0.1", "shop/web", start + 10);
  line.set("10.0.0.1", "bank/db", start + 60_000);
  expect(line.at("10.0.0.1", start + 59_999)).toBe("shop/web");
  expect(line.at("10.0.0.1", start + 60_000)).toBe("bank/db");
  expect(line.at("10.0.0.2", start)).toBeNull();
});

test("a packet may be seen shortly before or after what it is about, and not later", () => {
  const line = new Timeline<string, string>(5_000);
  line.set("a", "one", start);
  line.set("a", null, start + 60_000);
  expect(line.at("a", start - 5_000)).toBe("one");
  expect(line.at("a", start - 5_001)).toBeNull();
  expect(line.at("a", start + 65_000)).toBe("one");
  expect(line.at("a", start + 65_001)).toBeNull();
  line.set("a", "two", start + 63_000);
  // Of both the nearer one.
  expect(line.at("a", start + 61_000)).toBe("one");
  expect(line.at("a", start + 62_500)).toBe("two");
});

test("a number that has ended counts until it is forgotten, an hour later", () => {
  const line = new Timeline<number, string>(Infinity);
  line.set(7, "rule", start);
  line.set(7, null, start + 1);
  expect(line.at(7, start + keptMs)).toBe("rule");
  line.prune(start + keptMs);
  expect(line.size).toBe(1);
  line.prune(start + keptMs + 1);
  expect([line.size, line.at(7, start + keptMs)]).toEqual([0, null]);
});

test("of one that changes again and again only the last values are kept", () => {
  const line = new Timeline<string, number>(Infinity);
  for (let at = 0; at < 100; at++) line.set("a", at, start + at * 10_000);
  expect(line.at("a", start)).toBeNull();
  expect(line.at("a", start + 95 * 10_000)).toBe(95);
  expect(line.at("a", start + 999 * 10_000)).toBe(99);
});
