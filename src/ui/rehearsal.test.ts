// What is asked before anybody asks: each kind of question that no thread answers, and nothing that a thread answers.

import { expect, test } from "@jest/globals";
import type { WorldObject } from "../model/object.ts";
import { anp, podsWith } from "../../test/support/policies.ts";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { answer } from "./api.ts";
import { rehearsed } from "./rehearsal.ts";

const owner = { group: "apps", kind: "StatefulSet", name: "web" };
const objects: readonly WorldObject[] = [
  node("n0"),
  ...["a", "b", "c", "d"].map((name) => namespace(name)),
  ...["a", "b", "c", "d"].map((name, at) => ({
    ...pod(name, "web-0", { labels: { app: "web" }, ips: [`10.0.0.${at + 1}`] }),
    owner,
  })),
  anp("one", {
    subject: podsWith({}, { app: "web" }),
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  }),
];

test("each kind of question is answered, three of what there are more of", () => {
  const world = shownWorld(objects);
  const asked = rehearsed(world);
  expect(asked.map(({ path, query }) => [answer(world, path, query)?.status, path])).toEqual(
    asked.map(({ path }) => [200, path]),
  );
  const count = (path: string) => asked.filter((one) => one.path === `/api/${path}`).length;
  expect(["state", "board", "policies", "policy", "namespace"].map(count)).toEqual([1, 1, 1, 1, 3]);
  expect(["pods", "search", "pod", "explain", "end"].map(count)).toEqual([3, 3, 3, 3, 3]);
});

test("nothing is asked of a thread, and an empty world is no obstacle", () => {
  const refuse = () => {
    throw new Error("a thread is asked");
  };
  const world = { ...shownWorld(objects), findings: refuse, matrix: refuse, reach: refuse, compare: refuse };
  for (const { path, query } of rehearsed(world)) expect(answer(world, path, query)?.status).toBe(200);
  expect(rehearsed(shownWorld([])).map(({ path }) => path)).toEqual([
    "/api/state",
    "/api/board",
    "/api/policies",
  ]);
});
