// Answers of one revision are made once, and kept within bounds; a controller's are made each time.

import { expect, test } from "@jest/globals";
import { worldOf } from "../../../test/support/asked-world.ts";
import { noThreads } from "../../../test/support/shown-world.ts";
import { Answers } from "./answers.ts";
import type { Live, ShownWorld } from "../world.ts";

const asked = worldOf([]);

function scene(live: Live | null = null) {
  const seen = { made: 0 };
  const now = { revision: "1", isReady: true };
  const world: ShownWorld = {
    ...{ workloads: [], cni: "ovn", from: "here", facts: asked.facts, policyCount: 0, problems: [] },
    membership: { pods: () => new Set() },
    ...{ findings: null, plan: null, ...noThreads, live, record: () => null, lastChange: null },
    get revision() {
      return now.revision;
    },
    get isReady() {
      return now.isReady;
    },
    get asked() {
      seen.made++;
      return asked;
    },
  };
  const answers = new Answers(world, "run");
  const of = (q: string, known = "") =>
    answers.of({ path: "/api/pods", query: new URLSearchParams({ q }) }, known);
  return { seen, now, of };
}

test("once for a revision, and again for the next", () => {
  const { seen, now, of } = scene();
  const first = of("web");
  expect([of("web"), of("web"), seen.made]).toEqual([first, first, 1]);
  expect(of("db")).not.toBe(first);
  now.revision = "2";
  expect(of("web")?.tag).not.toBe(first?.tag);
  expect(seen.made).toBe(3);
});

test("whoever has it gets none; other tags, refusals and other paths get an answer", () => {
  const { seen, of } = scene();
  const tag = of("web")?.tag ?? "";
  expect(of("other", tag)).toMatchObject({ body: "", tag });
  expect(seen.made).toBe(1);
  expect(of("web", `${tag}x`)?.body.length).toBeGreaterThan(0);
  const refused = of("x ".repeat(100));
  expect([refused?.status, refused?.tag]).toEqual([400, undefined]);
});

test("many questions of one revision do not fill the memory", () => {
  const { seen, of } = scene();
  for (let at = 0; at < 1_000; at++) of(`q${at}`);
  of("q0");
  expect(seen.made).toBe(1_001);
  of("q0");
  expect(seen.made).toBe(1_001);
});

test("a controller's answers follow what it says of itself, and their tags their content", () => {
  const live = { counts: [], unenforced: [], pending: [], writer: null, whyNotInForce: () => null };
  const { seen, of } = scene(live);
  const [first, second] = [of("web"), of("web", "x")];
  expect([first?.tag, seen.made]).toEqual([second?.tag, 2]);
  expect(of("db")?.tag).not.toBe(first?.tag);
});

test("what is asked before the objects have been read is not kept", () => {
  const { now, of } = scene();
  now.isReady = false;
  expect(of("web")?.status).toBe(503);
  now.isReady = true;
  expect(of("web")?.status).toBe(200);
});
