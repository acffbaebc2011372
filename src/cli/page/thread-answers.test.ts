// What a controller's page answers from threads is what the engine of matrix, can and plan says of the objects that it was fed, and
// the threads have their bounds.

import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, jest, test } from "@jest/globals";
import { byDefault } from "../../../test/support/backend-config.ts";
import { kindFlags } from "../../../test/support/dialects.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import { patience } from "../../../test/support/patience.ts";
import { np } from "../../../test/support/policies.ts";
import { can } from "../../can/can.ts";
import { matrix } from "../../matrix/matrix.ts";
import type { WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import { Comparisons } from "../../ui/comparisons.ts";
import { FedWorld } from "../../wiring/page/fed-world.ts";
import type { Manner } from "./thread-answers.ts";
import { inController, threadAnswers } from "./thread-answers.ts";
import type { ThreadBounds } from "./ui-thread.ts";

jest.setTimeout(patience(60_000));

const kinds = kindFlags({ networkPolicy: true });
const everything = { protocol: null, port: null };
/** Its namespace was not read: the controller knows nothing of its labels, and so does its page. */
const stray = pod("lost", "stray", { node: "n", ips: ["10.0.0.9"] });
const objects = [
  ...[namespace("shop"), namespace("bank"), node("n"), stray],
  pod("shop", "web", { node: "n", ips: ["10.0.0.1"] }),
  pod("bank", "vault", { node: "n", ips: ["10.0.0.2"] }),
  np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "bank"),
  np(
    "known",
    { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }] }], policyTypes: ["Ingress"] },
    "shop",
  ),
];
const opening = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed, namespace: bank }
spec: { podSelector: {}, ingress: [{}], policyTypes: [Ingress] }
`;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** How often the objects have been copied for a thread. */
let copies = 0;

function fed(all: readonly WorldObject[], manner: Manner = { ...inController, budget: null }): FedWorld {
  const start = { kind: "fed", families: null, from: "", mode: byDefault, kinds } as const;
  const world = new FedWorld(start, (followed, revision) => {
    const mode = { ...byDefault, families: null, kinds };
    const ofQuestions = (): ThreadBounds => {
      copies++;
      return manner.ofQuestions();
    };
    const threaded = { world: followed, mode, serviceNetworks: [], revision };
    const answers = threadAnswers(threaded, { ...manner, ofQuestions });
    closing.push(answers.close);
    return answers;
  });
  give(world, all);
  world.synced();
  return world;
}

function give(world: FedWorld, all: readonly WorldObject[]): void {
  const change = (object: WorldObject) => ({
    key: keyOf(object),
    object,
    kept: null,
    isNew: false,
    places: [],
  });
  world.change(structuredClone(all.map(change)));
}

async function made<T>(ask: () => T | null): Promise<T> {
  let value: T | null = null;
  await eventually(() => {
    value = ask();
    expect(value).not.toBeNull();
  });
  return value!;
}

test("the matrix, a namespace's own and who may reach an end are those of the commands", async () => {
  const before = copies;
  const world = fed(objects);
  for (const one of [null, "shop"])
    expect((await made(() => world.matrix(one))).value).toEqual(
      matrix(world.asked, { ...everything, namespace: one }),
    );
  const { value } = await made(() => world.reach("shop/web"));
  // Four questions of one revision, and one copy of the world.
  expect(copies - before).toBe(1);
  expect(value.in).toEqual(can(world.asked, { ...everything, from: null, to: "shop/web" }));
  expect(value.out).toEqual(can(world.asked, { ...everything, from: "shop/web", to: null }));
});

test("a change makes the answer one of before, until it is made again", async () => {
  const world = fed(objects);
  const first = await made(() => world.matrix(null));
  give(world, [np("open", { podSelector: {}, ingress: [{}], policyTypes: ["Ingress"] }, "bank")]);
  expect(world.matrix(null)).toMatchObject({ value: first.value, revision: "" });
  const second = await made(() => {
    const now = world.matrix(null);
    return now?.revision === world.revision ? now : null;
  });
  expect(second.value).toEqual(matrix(world.asked, { ...everything, namespace: null }));
  expect(second.value).not.toEqual(first.value);
});

test("a pasted text is compared with what the controller has", async () => {
  const world = fed(objects);
  const { report, isOfNow } = await world.compare(opening);
  expect(report.verdicts.changes.map(({ old, new: next, to }) => [old, next, to.title])).toContainEqual([
    "deny",
    "allow",
    expect.stringContaining("vault"),
  ]);
  expect(isOfNow()).toBe(true);
  give(world, [pod("shop", "other", { node: "n", ips: ["10.0.0.3"] })]);
  expect(isOfNow()).toBe(false);
});

test("nothing is compared before everything has arrived", () => {
  const compare = jest.fn<() => Promise<never>>();
  const { status } = new Comparisons({ compare, revision: "", isReady: false }).begin(opening);
  expect([status, compare.mock.calls]).toEqual([503, []]);
});

/** The niceness of every thread of this process, as Linux has it. */
function niceness(): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const task of readdirSync("/proc/self/task"))
    try {
      const [, stat = ""] = readFileSync(`/proc/self/task/${task}/stat`, "utf8").split(/\) (?=\S )/);
      all.set(task, Number(stat.split(" ")[16]));
    } catch {
      // It has ended meanwhile.
    }
  return all;
}

(process.platform === "linux" ? test : test.skip)(
  "a thread beside the controller has the lowest priority, and no other gets it",
  async () => {
    const before = niceness();
    const world = fed(objects);
    await made(() => world.matrix(null));
    const after = [...niceness()];
    expect(after.filter(([task, nice]) => !before.has(task) && nice === 19).length).toBeGreaterThan(0);
    expect(after.filter(([task, nice]) => before.has(task) && before.get(task) !== nice)).toEqual([]);
  },
);

test("one that takes more memory or time than it may fails in a sentence, and the next is answered", async () => {
  const bounds: ThreadBounds = { ms: null, megabytes: 16, isNice: false };
  let now = bounds;
  const world = fed(objects, { ...inController, budget: null, ofText: () => now });
  const many = Array.from(
    { length: 12_000 },
    (_, at) => `---\napiVersion: v1\nkind: Namespace\nmetadata: { name: n${at} }\n`,
  ).join("");
  await expect(world.compare(many)).rejects.toThrow("this takes more memory than it may: 16 MiB");
  now = { ...bounds, ms: 1, megabytes: 1024 };
  await expect(world.compare(opening)).rejects.toThrow("this takes longer than 0.001 s, and is given up");
  now = { ...bounds, megabytes: 1024 };
  expect((await world.compare(opening)).report.verdicts.changes.length).toBeGreaterThan(0);
});

test("where no memory is left nothing is started, and the page says so", async () => {
  const ofQuestions = (): never => {
    throw new Error("the controller has 12 MiB of memory left");
  };
  const world = fed(objects, { ...inController, budget: null, ofQuestions });
  await eventually(() => {
    expect(() => world.matrix(null)).toThrow("12 MiB of memory left");
  });
});
