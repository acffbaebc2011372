// The page of a controller asks itself when everything has arrived, and never again.

import { expect, test } from "@jest/globals";
import { hearing } from "./hearing.ts";
import type { ToThread } from "./page-messages.ts";

test("the world hears everything, and the page rehearses once, when it is whole", () => {
  const events: string[] = [];
  const hear = hearing(({ kind }) => void events.push(kind), {
    rehearse: () => {
      events.push("rehearsed");
      return new Promise(() => undefined);
    },
  });
  const objects: ToThread = { kind: "objects", changes: [] };
  for (const message of [objects, { kind: "synced" }, objects, { kind: "synced" }] as const) hear(message);
  expect(events).toEqual(["objects", "synced", "rehearsed", "objects", "synced"]);
});
