// Whom an edit of a tier, a group, a child, a Service concerns: the policies that use it, through however many names, and
// nobody else. What comes later is found, what goes leaves a policy in force.

import { beforeEach, expect, test } from "@jest/globals";
import { acnp, annp, clusterGroup, group, service, tier } from "../../test/support/antrea.ts";
import type { WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";
import { antrea } from "../../test/support/dialects.ts";

const web = { podSelector: { matchLabels: { app: "web" } } };
const spec = (more: object, from?: string) => ({
  ...{ priority: 5, appliedTo: [{ podSelector: {} }], ...more },
  ...(from === undefined ? {} : { ingress: [{ action: "Drop", from: [{ group: from }] }] }),
});
const policies = {
  child: acnp("child", spec({}, "parent")),
  served: acnp("served", spec({}, "of-service")),
  tiered: acnp("tiered", spec({ tier: "mine" })),
  own: annp("own", spec({}, "parent")),
  applied: acnp("applied", spec({ appliedTo: [{ group: "parent" }] })),
  plain: acnp("plain", spec({})),
  through: acnp(
    "through",
    spec({ egress: [{ action: "Drop", toServices: [{ name: "s", namespace: "shop" }] }] }),
  ),
};
const named = [
  clusterGroup("parent", { childGroups: ["a"] }),
  clusterGroup("a", web),
  clusterGroup("of-service", { serviceReference: { name: "s", namespace: "shop" } }),
  service("s", { selector: { app: "web" } }),
  tier("mine", { priority: 7 }),
];

let model: OfflineModel<typeof noBackend>;
beforeEach(() => {
  model = new OfflineModel({ dialects: [antrea], families: ["v4"], backend: () => noBackend });
  model.observe([...Object.values(policies), ...named]);
});

const compiledBy = (...objects: WorldObject[]) =>
  [...model.observe(objects).compiled].map((key) => key.replace(/^.*\//, "")).sort();
const peersOf = (name: keyof typeof policies) =>
  model.record(keyOf(policies[name]))?.policy?.rules.ingress[0]?.peers;

test.each<[string, WorldObject, readonly string[]]>([
  ["a child", clusterGroup("a", { podSelector: {} }), ["applied", "child"]],
  ["a group", clusterGroup("parent", web), ["applied", "child"]],
  ["a group of a namespace", group("parent", web), ["own"]],
  ["a group of another namespace", group("parent", web, "other"), []],
  ["a Service", service("s", { selector: { app: "db" } }), ["served", "through"]],
  ["another Service", service("s", {}, "other"), []],
  ["a tier", tier("mine", { priority: 8 }), ["tiered"]],
  ["a group that nobody names", clusterGroup("lonely", web), []],
])("an edit of %s compiles who uses it", (_, edited, users) => {
  expect(compiledBy(edited)).toEqual(users);
});

test("a group that comes, and goes, leaves its policies in force", () => {
  expect(peersOf("own")).toEqual([]);
  model.observe([group("parent", web)]);
  expect(peersOf("own")).toHaveLength(1);
  const { compiled } = model.change([{ key: keyOf(group("parent", web)), object: null }]);
  expect([compiled.size, peersOf("own")]).toEqual([1, []]);
});

test("a tier that goes, and a group that becomes wrong, leave in force what was", () => {
  const before = model.record(keyOf(policies.tiered))?.policy;
  model.change([{ key: keyOf(tier("mine", {})), object: null }]);
  expect(model.record(keyOf(policies.tiered))).toMatchObject({ rejected: true, policy: before });
  const peers = peersOf("child");
  model.observe([clusterGroup("a", { podSelector: { matchLabels: { "a b": "c" } } })]);
  expect([model.record(keyOf(policies.child))?.rejected, peersOf("child")]).toEqual([true, peers]);
});
