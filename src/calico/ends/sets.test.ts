// NetworkSets by labels of their Namespaces, as these are at the moment.

import { beforeEach, expect, test } from "@jest/globals";
import { gnp, networkSet } from "../../../test/support/calico.ts";
import { namespace } from "../../../test/support/facts.ts";
import { everyKind, installed } from "../../dialects.ts";
import type { WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import type { EngineBackend } from "../../controller/engine.ts";
import { OfflineModel, noBackend } from "../../offline/model.ts";
import { unreadNamespace } from "../../unknowns/namespaces.ts";
import { withUnread } from "../../unknowns/unread.ts";

const { dialects } = installed({ ...everyKind, "policy-model": "calico" });
const compiled: string[] = [];
let model: OfflineModel<EngineBackend>;

const policy = (name: string, namespaceSelector: string) =>
  gnp(name, { ingress: [{ action: "Deny", source: { namespaceSelector, selector: "set == 'x'" } }] });

beforeEach(() => {
  const counting = dialects.map((one) => ({
    ...one,
    compile: (...asked: Parameters<typeof one.compile>) => {
      compiled.push(asked[0].name);
      return one.compile(...asked);
    },
  }));
  model = new OfflineModel({
    dialects: withUnread(counting, []),
    families: null,
    backend: () => noBackend,
  });
  model.observe([
    ...[namespace("shop", { team: "a" }), namespace("bank", { team: "b" })],
    ...[
      networkSet("s", { set: "x" }, ["10.1.0.0/16"]),
      networkSet("b", { set: "x" }, ["10.2.0.0/16"], "bank"),
    ],
    ...[policy("of-a", "team == 'a'"), policy("not-a", "team != 'a'"), policy("bank", named("bank"))],
  ]);
  compiled.length = 0;
});

const named = (name: string) => `projectcalico.org/name == '${name}'`;

/** By policy, the networks that its rule is about. */
const networks = () =>
  Object.fromEntries(
    model
      .policies()
      .map(({ ref, rules }) => [
        ref.name,
        rules.ingress.flatMap(({ peers }) =>
          peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr] : [])),
        ),
      ]),
  );

/** What the change compiles again. */
function after(...objects: readonly WorldObject[]): readonly string[] {
  compiled.length = 0;
  model.observe(objects);
  return compiled.toSorted();
}

test("a set is selected as its namespace is", () => {
  expect(networks()).toEqual({ "of-a": ["10.1.0.0/16"], "not-a": ["10.2.0.0/16"], bank: ["10.2.0.0/16"] });
});

test("a Namespace with other labels compiles the policies again that ask for them", () => {
  expect(after(namespace("bank", { team: "a" }))).toEqual(["not-a", "of-a"]);
  expect(networks()).toEqual({ "of-a": ["10.2.0.0/16", "10.1.0.0/16"], "not-a": [], bank: ["10.2.0.0/16"] });
  expect(after(namespace("bank", { team: "a" }))).toEqual([]);
  expect(after(namespace("other", { team: "a" }))).toEqual([]);
});

test("a Namespace that is removed, or not there yet, has its name alone", () => {
  model.change([{ key: keyOf(namespace("shop")), object: null }]);
  expect(networks()).toEqual({
    ...{ "of-a": [], "not-a": ["10.2.0.0/16", "10.1.0.0/16"], bank: ["10.2.0.0/16"] },
  });
  after(networkSet("n", { set: "x" }, ["10.3.0.0/16"], "new"));
  expect(networks()["of-a"]).toEqual([]);
  expect(after(namespace("new", { team: "a" }))).toEqual(["not-a", "of-a"]);
  expect(networks()["of-a"]).toEqual(["10.3.0.0/16"]);
});

test("what a policy does that asks for labels of a Namespace that was not read is not known", () => {
  after(unreadNamespace("shop"));
  const told = Array.from(model.records(), ({ object, rejected, problems }) => [
    object.name,
    rejected ? problems.map(({ severity, message }) => `${severity}: ${message}`) : "known",
  ]);
  const unknown = [
    "warning: Namespace shop was not read: what the policy does is not known, and it is left out",
  ];
  expect(Object.fromEntries(told)).toEqual({ "of-a": unknown, "not-a": unknown, bank: "known" });
});
