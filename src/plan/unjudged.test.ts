// Changed policies that were not judged, those that select nobody, and namespaces that nobody has read: what of them is open
// is not judged, and the rest is.

import { expect, test } from "@jest/globals";
import { namespace, pod, podGroup, withLabels, workload } from "../../test/support/facts.ts";
import { irPolicy } from "../../test/support/ir.ts";
import { unreadNamespace } from "../unknowns/namespaces.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Fact } from "../model/object.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { everything } from "../model/selector.ts";
import type { Peer, Policy, Subject } from "../policy/ir.ts";
import { judged } from "./judged.ts";
import type { PlanWorld } from "./world.ts";
import { both } from "../verdicts/worlds.ts";
import type { Workload } from "../model/workload.ts";

const everyone: readonly Peer[] = [{ kind: "everything" }];
const app = (name: string) => podGroup(everything, withLabels({ app: name }));
const deny = (subject: Subject, name = "deny"): Policy =>
  irPolicy(name, { subject, ingress: [{ action: "deny", peers: everyone }] });
const running = (home: string, name: string, address: string) =>
  pod(home, name, { labels: { app: name }, ips: [address] });
const web = running("one", "web", "10.0.0.1");
const db = running("two", "db", "10.0.0.2");

function worldOf(facts: readonly Fact[], ...policies: readonly Policy[]): PlanWorld {
  const store = new FactStore();
  for (const fact of facts) store.put(fact);
  return { facts: store, policies };
}

/** With the policies added, removed or edited in a world of these facts. */
function planned(
  facts: readonly Fact[],
  old: readonly Policy[],
  next: readonly Policy[],
  workloads: readonly Workload[] = [],
) {
  const worlds = { old: worldOf(facts, ...old), new: { ...worldOf(facts, ...next), workloads } };
  const namer = () =>
    ({ direction: "ingress", index: 0, name: "", action: "deny", word: "", place: null }) as const;
  const { unjudged, notes, caveats, classes } = judged(
    worlds,
    both(() => namer),
  );
  return {
    unjudged: unjudged.map(({ policy, why }) => `${policy.name}: ${why}`),
    notes: notes.map(({ policy, text }) => `${policy.name}: ${text}`),
    caveats: caveats.map(({ code }) => code),
    classes: classes.map(({ from, to }) => `${from.title} → ${to.title}`),
  };
}

const whole = [namespace("one"), namespace("two"), web, db];
const nothing = { unjudged: [], notes: [], caveats: [], classes: [] };

test("a policy that did not change is not asked about, whomever it selects", () => {
  expect(planned([namespace("one")], [deny([app("web")])], [deny([app("web")])])).toEqual(nothing);
});

test("of an edit, each subject counts: one that selects pods does not excuse one that could", () => {
  const late = pod("one", "api", { labels: { app: "api" } });
  const { unjudged, classes } = planned([...whole, late], [deny([app("web")])], [deny([app("api")])]);
  expect(unjudged).toEqual(["deny: in part: pods that it selects have no address: one/api"]);
  expect(classes).toHaveLength(1);
});

test("a Deployment in the files whose pods are not there is named; one of pods that are is not", () => {
  const making = (name: string, home = "one", hostNetwork = false): Workload =>
    workload(home, name, { labels: { app: name }, hostNetwork });
  const workloads = [making("web"), making("api"), making("api", "three"), making("moon", "one", true)];
  const ofApp = (name: string) => deny([app(name)], name);
  const { unjudged, notes } = planned(whole, [], [ofApp("web"), ofApp("api"), ofApp("moon")], workloads);
  expect(unjudged).toEqual([
    "api: pods of Deployment one/api, Deployment three/api are not among the objects",
  ]);
  expect(notes).toEqual(["moon: it selects no pod"]);
});

test("two running pods of one address are a caveat; a pod that has completed has given its address back", () => {
  const facts = [...whole, running("one", "twin", "10.0.0.1")];
  expect(planned(facts, [], [deny([app("web")])]).caveats).toEqual(["SharedAddress"]);
  const done = pod("one", "done", { ips: ["10.0.0.1"], completed: true });
  expect(planned([...whole, done], [], [deny([app("web")])]).caveats).toEqual([]);
});

test("pods on their node's network and completed ones are nobody's subject: a note", () => {
  const facts = [
    ...whole,
    pod("one", "host", { labels: { app: "host" }, ips: ["172.18.0.2"], hostNetwork: true }),
    pod("one", "done", { labels: { app: "done" }, ips: ["10.0.0.9"], completed: true }),
  ];
  expect(planned(facts, [], [deny([app("host")], "a"), deny([app("done")], "b")])).toEqual({
    ...nothing,
    notes: ["a: it selects no pod", "b: it selects no pod"],
  });
});

test("a rule whose peers select nobody is a note; a network is somebody", () => {
  const rule = (...peers: readonly Peer[]) =>
    irPolicy("p", { subject: [app("web")], ingress: [{ action: "deny", peers, name: "strict" }] });
  const { notes, unjudged } = planned(whole, [], [rule(app("moon"))]);
  expect([notes, unjudged]).toEqual([['p: the peers of ingress[0] "strict" select nothing'], []]);
  expect(planned(whole, [], [rule(app("moon"), app("db"))]).notes).toEqual([]);
});

test("a namespace that nobody has read: its pods are judged where its name is all that policies ask for", () => {
  const facts = [unreadNamespace("one"), namespace("two"), web, db];
  const named = deny([podGroup(namespacesNamed(["one"]))]);
  expect(planned(facts, [], [named])).toEqual({
    ...nothing,
    classes: [expect.stringMatching(/→ one app=web$/)],
  });
});

test("where policies ask for labels of it, its pods are not judged, and a policy that could select them says so", () => {
  const facts = [unreadNamespace("one"), namespace("two", { team: "x" }), web, db];
  const ofTeam = (team: string) => deny([podGroup(withLabels({ team }))], team);
  const { unjudged, caveats, classes } = planned(facts, [], [ofTeam("x"), ofTeam("y")]);
  expect(unjudged).toEqual(["y: Namespace one was not read"]);
  expect(caveats).toEqual(["NamespaceNotRead"]);
  expect(classes).toEqual([expect.stringMatching(/→ two app=db$/)]);
});

test("a selector that its name contradicts could not select it, whatever its labels are", () => {
  const facts = [unreadNamespace("one"), namespace("two"), web, db];
  const other = deny([podGroup(withLabels({ "kubernetes.io/metadata.name": "three", team: "x" }))]);
  expect(planned(facts, [], [other]).notes).toEqual(["deny: it selects no pod"]);
});
