// Which pods are looked at when other port groups are desired: those of groups that are new to the unit, and no others. Their
// number is the work of a namespace that joins a Self policy over very many.

import { expect, test } from "@jest/globals";
import { HandClock } from "../../test/support/scripted-api.ts";
import { differing } from "../lib/sequence.ts";
import { UnconnectedPods, type UnconnectedPodsParts } from "./unconnected-pods.ts";

type Change = Parameters<UnconnectedPods["rendered"]>[0];

/** Groups of one pod each, named as their pod: `ns/name`. Nobody has a port. */
function world() {
  const looked: string[] = [];
  const pod = (key: string) => ({ namespace: key.split("/")[0], name: key.split("/")[1], node: "n1" });
  const clock = new HandClock();
  const parts = {
    ...{ zone: null, clock, session: { ready: true } },
    membership: { pods: (group: string) => new Map([[group, 1]]), pod, groupsOf: (key: string) => [key] },
    actual: {
      port(name: string) {
        looked.push(name);
        return null;
      },
    },
    desired: {
      states: () => [],
      portGroupsOf: () => [{ unit: "u" }],
    },
  };
  const pods = new UnconnectedPods(parts as unknown as UnconnectedPodsParts);
  pods.filled();
  let before: readonly object[] = [];
  const groups = new Map<string, object>();
  const groupOf = (subjects: readonly string[], at: number) => {
    const name = `${at} ${subjects.join()}`;
    const group = groups.get(name) ?? { subjects };
    groups.set(name, group);
    return group;
  };
  const render = (...subjects: readonly (readonly string[])[]): readonly string[] => {
    const after = subjects.map(groupOf);
    looked.length = 0;
    const rendering = { after: { unit: "u", portGroups: after }, portGroups: differing(before, after) };
    pods.rendered({ rendered: [rendering], gone: [] } as unknown as Change);
    before = after;
    return [...looked];
  };
  const overdue = () => [...pods.overdue("u" as Parameters<UnconnectedPods["overdue"]>[0])].sort();
  // The first question is the first look at all pods.
  overdue();
  return { render, overdue, clock };
}

test("a group that joins a unit of a thousand is looked at alone", () => {
  const { render } = world();
  const many = Array.from({ length: 1000 }, (_, n) => [`ns${n}/web`]);
  expect(render(...many)).toHaveLength(1000);
  expect(render(...many, ["new/web"])).toHaveLength(1);
  expect(render(...many, ["new/web"])).toHaveLength(0);
});

test("who waits longer than a pod takes to start is told, also of the group that joined", () => {
  const { render, overdue, clock } = world();
  render(["a/web"]);
  clock.elapse(30_000);
  render(["a/web"], ["b/web"]);
  clock.elapse(30_000);
  expect(overdue()).toEqual(["a/web"]);
  clock.elapse(30_000);
  expect(overdue()).toEqual(["a/web", "b/web"]);
});
