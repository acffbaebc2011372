// Answers to many questions that are made elsewhere: each is made once a revision, few at a time, and the oldest are forgotten.

import { expect, test } from "@jest/globals";
import { BackgroundCaches } from "./background-cache.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("each question has its own answer, of its revision", async () => {
  const asked: string[] = [];
  let changes = 0;
  const caches = new BackgroundCaches(
    (question: string) => {
      asked.push(question);
      return Promise.resolve(question.toUpperCase());
    },
    () => changes++,
  );
  expect([caches.of("a", "1"), caches.of("b", "1")]).toEqual([null, null]);
  await settled();
  expect(caches.of("a", "1")).toMatchObject({ value: "A", revision: "1" });
  expect(caches.of("b", "1")).toMatchObject({ value: "B", revision: "1" });
  expect([asked, changes]).toEqual([["a", "b"], 2]);
  // The answer of before stays until there is another.
  expect(caches.of("a", "2")).toMatchObject({ value: "A", revision: "1" });
  await settled();
  expect(caches.of("a", "2")).toMatchObject({ value: "A", revision: "2" });
});

test("at most eight are being made, whoever asks; what waits is made when it is asked again", async () => {
  const open: (() => void)[] = [];
  const caches = new BackgroundCaches(
    (question: number) =>
      new Promise<number>((resolve) => {
        open.push(() => {
          resolve(question);
        });
      }),
    () => undefined,
  );
  for (let at = 0; at < 20; at++) expect(caches.of(at, "1")).toBeNull();
  expect(open).toHaveLength(8);
  for (const end of open.splice(0)) end();
  await settled();
  expect(caches.of(0, "1")).toMatchObject({ value: 0 });
  expect(caches.of(19, "1")).toBeNull();
  expect(open).toHaveLength(1);
});

test("thirty-two are kept", async () => {
  let made = 0;
  const caches = new BackgroundCaches(
    (question: number) => {
      made++;
      return Promise.resolve(question);
    },
    () => undefined,
  );
  for (let at = 0; at < 33; at++) {
    caches.of(at, "1");
    await settled();
  }
  expect(made).toBe(33);
  expect(caches.of(32, "1")).toMatchObject({ value: 32 });
  expect(caches.of(0, "1")).toBeNull();
});
