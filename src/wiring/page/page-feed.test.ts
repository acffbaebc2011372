// What a controller's page is fed: few messages, none before the first look, and after any path of edits, refusals and new
// threads the same policies as the controller's engine has.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MemorySource } from "../../../test/support/controller.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { Engine } from "../../controller/engine.ts";
import { installed } from "../../dialects.ts";
import { Groups } from "../../groups/index.ts";
import { FactStore } from "../../model/fact-store.ts";
import type { WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import { noBackend } from "../../offline/model.ts";
import { kindFlags } from "../../../test/support/dialects.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { anp } from "../../../test/support/policies.ts";
import { FedWorld } from "./fed-world.ts";
import { PageFeed } from "./page-feed.ts";
import type { ToThread } from "./page-messages.ts";
import { byDefault } from "../../../test/support/backend-config.ts";
import { noThreads } from "../../../test/support/shown-world.ts";

const kinds = kindFlags({ networkPolicy: true });

function scene() {
  const { dialects } = installed(kinds);
  const facts = new FactStore();
  const groups = new Groups(facts);
  const engine = new Engine({ dialects, facts, groups, backend: noBackend, families: ["v4"] });
  const source = new MemorySource();
  const clock = new HandClock();
  let looked = true;
  const feed = new PageFeed({
    ...{ source, dialects, clock, looked: () => looked },
    record: (key) => engine.record(key),
    isPolicy: (key) => engine.policyKeyOf(key) !== null,
    placeOf: (key, field) => `${key}:${field}`,
  });
  const sent: ToThread[] = [];
  const post = (message: ToThread): void => void sent.push(structuredClone(message));
  /** As one pass of the loop. */
  const observe = (...objects: readonly (readonly [WorldObject, boolean])[]): void => {
    for (const [object, exists] of objects) {
      if (exists) source.set(object);
      else source.delete(keyOf(object));
      engine.observe(keyOf(object), feed.source.read(keyOf(object)));
    }
    engine.settle();
  };
  const world = (): FedWorld =>
    new FedWorld({ kind: "fed", families: ["v4"], kinds, mode: byDefault, from: "" }, () => noThreads);
  /** Until the feed has nothing more to say. */
  const drain = (to: FedWorld): void => {
    for (let turn = 0; turn < 200; turn++) {
      clock.elapse(100);
      const message = sent.shift();
      if (message === undefined) continue;
      if (message.kind === "objects") {
        to.change(message.changes);
        feed.absorbed();
      } else if (message.kind === "synced") to.synced();
    }
  };
  const look = (value: boolean): void => {
    looked = value;
  };
  return { engine, feed, clock, sent, post, observe, world, drain, look };
}

const pods = Array.from({ length: 2_000 }, (_, at) =>
  pod("shop", `p${at}`, { ips: [`10.0.${at >> 8}.${at & 255}`] }),
);
const policy = (name: string, priority: number): WorldObject => anp(name, { priority });

describe("the feed", () => {
  test("sends nothing before everything has been looked at, and then a bounded number at a time", () => {
    const { feed, clock, sent, post, observe, world, drain, look } = scene();
    look(false);
    feed.begin(post);
    observe([namespace("shop"), true], ...pods.map((one) => [one, true] as const));
    clock.elapse(10_000);
    expect(sent).toEqual([]);
    look(true);
    clock.elapse(100);
    const [first] = sent;
    expect(first?.kind === "objects" && first.changes.length).toBe(500);
    // The thread has not taken it: nothing more comes, whatever changes.
    observe([pods[0]!, false]);
    clock.elapse(10_000);
    expect(sent).toHaveLength(1);
    const page = world();
    drain(page);
    expect([page.isReady, page.facts.pods.size, feed.size]).toEqual([true, 1_999, 0]);
  });

  test("many changes of an object are one", () => {
    const { feed, sent, post, observe, clock } = scene();
    feed.begin(post);
    for (let at = 0; at < 50; at++) observe([policy("a", at), true]);
    clock.elapse(100);
    expect(sent).toMatchObject([{ kind: "objects", changes: [{ object: { spec: { priority: 49 } } }] }]);
  });

  test("a policy has the places of its fields, as data", () => {
    const { feed, post, observe, world, drain } = scene();
    const page = world();
    feed.begin(post);
    observe([policy("a", 1_000_000), true]);
    drain(page);
    const key = keyOf(policy("a", 1));
    expect(page.problems).toEqual([expect.stringContaining(`${key}:spec.priority: error`)]);
  });

  test("after any path the page has the policies of the engine", () => {
    const step = fc.oneof(
      fc.record({
        name: fc.constantFrom("a", "b", "c"),
        priority: fc.constantFrom(1, 2, 3, 1_000_000),
        exists: fc.boolean(),
      }),
      fc.constantFrom("thread" as const, "drain" as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const { engine, feed, sent, post, observe, world, drain } = scene();
        let page = world();
        feed.begin(post);
        for (const one of steps) {
          if (one === "drain") drain(page);
          else if (one === "thread") {
            page = world();
            sent.length = 0;
            feed.begin(post);
          } else observe([policy(one.name, one.priority), one.exists]);
        }
        drain(page);
        const policies = (
          all: readonly { readonly ref: { readonly name: string }; readonly priority: number }[],
        ) => all.map(({ ref, priority }) => `${ref.name} ${priority}`).toSorted();
        expect(policies(page.asked.policies)).toEqual(policies([...engine.policies()]));
        expect(page.policyCount).toBe([...engine.records()].length);
        expect(page.isReady).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
