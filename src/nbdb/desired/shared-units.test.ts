// Units that follow who uses them: whatever came, changed and went, their rows are those of a fresh rendering; and what is
// rendered for them follows what changed, however many policies a namespace has.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyDialect } from "../../dialects.ts";
import type { ObjectKey, PolicyObject, WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import { noBackend, OfflineModel } from "../../offline/model.ts";
import { offlineModel } from "../../nbdb/tools/rendered.ts";
import type { EngineBackend } from "../../controller/engine.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { np } from "../../../test/support/policies.ts";
import { isolatedBy, isolationUnit } from "../rows/isolation.ts";
import { Desired } from "./desired.ts";

const mode = { zone: null, namedPorts: "list" } as const;
const app = (name: string) => ({ matchLabels: { app: name } });
const pods = ["shop", "bank"].flatMap((place, net) =>
  ["web", "db", "batch"].map((name, host) =>
    pod(place, name, { labels: { app: name }, ips: [`10.0.${net}.${host + 1}`] }),
  ),
);
const spaces = (logged: boolean): readonly WorldObject[] =>
  ["shop", "bank"].map((name) => ({
    ...namespace(name),
    logging: logged ? '{"deny":"info"}' : "",
  }));

const change = fc.record({
  name: fc.constantFrom("a", "b", "c", "d"),
  place: fc.constantFrom("shop", "bank"),
  subject: fc.constantFrom("web", "db", "batch", null),
  types: fc.constantFrom(["Ingress"], ["Egress"], ["Ingress", "Egress"]),
  port: fc.constantFrom(80, 81),
  goes: fc.boolean(),
  /** The namespaces are logged otherwise from now on. */
  turns: fc.boolean(),
});

test("isolations are those of a fresh rendering, whichever policies came, changed and went before", () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (passes) => {
      const model = offlineModel({
        objects: [...spaces(false), ...pods],
        ...{ dialects: everyDialect.dialects, families: ["v4"], mode },
      });
      const present = new Map<ObjectKey, PolicyObject>();
      let isLogged = false;
      for (const changes of passes) {
        const objects = new Map<ObjectKey, PolicyObject | null>();
        for (const { name, place, subject, types, port, goes, turns } of changes) {
          const spec = {
            podSelector: subject === null ? {} : app(subject),
            policyTypes: types,
            ingress: [{ ports: [{ port }] }],
          };
          const object = np(name, spec, place);
          objects.set(keyOf(object), goes ? null : object);
          if (goes) present.delete(keyOf(object));
          else present.set(keyOf(object), object);
          if (turns) isLogged = !isLogged;
        }
        model.observe(spaces(isLogged));
        model.change(Array.from(objects, ([key, object]) => ({ key, object })));
        const fresh = offlineModel({
          objects: [...spaces(isLogged), ...pods, ...present.values()],
          ...{ dialects: everyDialect.dialects, families: ["v4"], mode },
        });
        expect(model.tables()).toEqual(fresh.tables());
      }
    }),
    { numRuns: 200 },
  );
});

/** An engine over desired rows, of which the isolations that are rendered are counted. */
function counting() {
  const desired = new Desired(mode);
  const model = new OfflineModel<EngineBackend>({
    ...{ dialects: everyDialect.dialects, families: ["v4"] },
    backend: () => ({
      ...noBackend,
      serve: (families) => desired.serve(families),
      upsert: (policy) => desired.upsert(policy),
      remove: (key) => desired.remove(key),
    }),
  });
  const pass = (objects: readonly WorldObject[]) => {
    model.observe(objects);
    return desired.settle().rendered.flatMap(({ after }) => isolatedBy(after.unit) ?? []);
  };
  return { desired, pass };
}

const policy = (n: number, port: number) =>
  np(`np-${n}`, { podSelector: app(`a${n}`), ingress: [{ ports: [{ port }] }] });

test("thousands of policies of a namespace render its isolation once, and an edit of one does not", () => {
  const { desired, pass } = counting();
  const many = Array.from({ length: 3000 }, (_, n) => policy(n, 80));
  expect(pass([namespace("shop"), ...many])).toEqual(["shop"]);
  expect(desired.get(isolationUnit("shop"))?.rows.portGroups.map(({ subjects }) => subjects.length)).toEqual([
    many.length,
    0,
  ]);
  expect(pass([policy(7, 81)])).toEqual([]);
  // The same subject as another's isolates nothing more.
  expect(pass([np("np-again", { podSelector: app("a7"), ingress: [{}] })])).toEqual([]);
  expect(pass([np("np-other", { podSelector: app("other"), ingress: [{}] })])).toEqual(["shop"]);
});
