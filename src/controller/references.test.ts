// The questions that a compilation asks about other objects, by name and by labels: a change of an object compiles exactly the
// policies again whose answers it changes.

import { beforeEach, expect, test } from "@jest/globals";
import { traffic } from "../../test/dialect/index.ts";
import type { PolicyObject, ReferencedObject, WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { EngineBackend } from "./engine.ts";
import { OfflineModel, noBackend } from "../offline/model.ts";

const none = { namespace: null, uid: null, generation: null, annotations: new Map<string, string>() };
const apiVersion = "traffic.test/v1";

function podSet(name: string, team: string, app: string): ReferencedObject {
  const spec = { pods: { matchLabels: { app } } };
  return { kind: "PodSet", apiVersion, name, spec, ...none, labels: new Map([["team", team]]) };
}

function policy(name: string, subject: unknown): PolicyObject {
  return {
    ...{ kind: "TrafficPolicy", apiVersion, name, ...none },
    spec: { tier: "admin", priority: 1, appliedTo: [subject] },
  };
}

const ofTeam = (team: string) => ({ sets: { matchLabels: { team } } });
let compiled: string[];
let model: OfflineModel<EngineBackend>;

beforeEach(() => {
  const dialects = traffic
    .dialects({ "enable-traffic-policy": "true", "traffic-log-denied": "off" })
    .map((one) => ({
      ...one,
      compile: (...[object, resolve]: Parameters<typeof one.compile>) => {
        compiled.push(object.name);
        return one.compile(object, resolve);
      },
    }));
  model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  compiled = [];
  model.observe([
    ...[podSet("one", "a", "one"), podSet("two", "b", "two")],
    ...[policy("by-name", { set: "one" }), policy("of-a", ofTeam("a")), policy("of-b", ofTeam("b"))],
  ]);
});

/** What the change compiles again. */
function after(object: WorldObject, isThere = true): readonly string[] {
  compiled = [];
  model.change([{ key: keyOf(object), object: isThere ? object : null }]);
  return compiled.toSorted();
}

const subjects = () =>
  Object.fromEntries(
    model
      .policies()
      .map(({ ref, subject }) => [
        ref.name,
        subject.map((group) => (group.kind === "pods" ? group.pods.text : group.kind)),
      ]),
  );

test("by labels, all objects of the kind that have them are the answer, in the order of their names", () => {
  model.observe([podSet("three", "a", "three")]);
  const text = (app: string) => `[["app","In","${app}"]]`;
  expect(subjects()).toEqual({
    ...{ "by-name": [text("one")], "of-a": [text("one"), text("three")], "of-b": [text("two")] },
  });
});

test("an object that is added, changed or removed concerns those whose labels it has", () => {
  expect(after(podSet("three", "a", "three"))).toEqual(["of-a"]);
  expect(after(podSet("three", "a", "other"))).toEqual(["of-a"]);
  expect(after(podSet("three", "c", "other"))).toEqual(["of-a"]);
  expect(after(podSet("three", "c", "another"))).toEqual([]);
  expect(after(podSet("three", "b", "another"))).toEqual(["of-b"]);
  expect(after(podSet("three", "b", "another"), false)).toEqual(["of-b"]);
  expect(after(podSet("one", "b", "one"))).toEqual(["by-name", "of-a", "of-b"]);
});

test("an object that says the same again compiles nothing, whatever else of it is new", () => {
  expect(after(podSet("one", "a", "one"))).toEqual([]);
  expect(after({ ...podSet("one", "a", "one"), uid: "new", generation: 2 })).toEqual([]);
  expect(after({ ...podSet("one", "a", "one"), balancerIps: ["10.0.0.1"] })).toEqual(["by-name", "of-a"]);
});

test("a policy that no longer asks is left alone", () => {
  expect(after(policy("of-a", { set: "two" }))).toEqual(["of-a"]);
  expect(after(podSet("three", "a", "three"))).toEqual([]);
  expect(after(policy("of-b", ofTeam("b")), false)).toEqual([]);
  expect(after(podSet("three", "b", "three"))).toEqual([]);
});

test("labels of service accounts select the pods that run as them, and a change of others compiles nothing", () => {
  const account = (name: string, role: string): ReferencedObject => ({
    ...{ kind: "ServiceAccount", apiVersion: "v1", name, spec: null, ...none, namespace: "shop" },
    labels: new Map([["role", role]]),
  });
  model.observe([policy("machines", { pods: { serviceAccounts: { matchLabels: { role: "machine" } } } })]);
  expect(subjects()["machines"]).toEqual([]);
  expect(after(account("robot", "machine"))).toEqual(["machines"]);
  expect(subjects()["machines"]).toEqual(['and([["#serviceAccount","In","robot"]],[])']);
  expect(after(account("person", "human"))).toEqual([]);
  expect(after(account("robot", "human"))).toEqual(["machines"]);
  expect(subjects()["machines"]).toEqual([]);
});
