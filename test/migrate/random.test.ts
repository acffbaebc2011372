// Random worlds of all kinds of policies, migrated: what comes out fits v1alpha2, compiles without a finding, keeps every name
// apart, and on packets drawn by another hand than the command's gives no verdict that the policies before could not give.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { dialects } from "../../src/dialects.ts";
import { migrateAll } from "../../src/migrate/migrate.ts";
import { isNewKind, isOldKind } from "../../src/migrate/policies.ts";
import { isApiObject, type PolicyObject, type WorldObject } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import { probesOf } from "../proof/packets.ts";
import { proofWorld } from "../proof/worlds.ts";
import { lacking } from "../support/lacking.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How policies of the older kinds grow: each list becomes so many times as long. */
const growth = fc.record({
  rules: fc.constantFrom(1, 1, 1, 1, 8, 20),
  peers: fc.constantFrom(1, 1, 1, 1, 13, 30),
  ports: fc.constantFrom(1, 1, 1, 13),
  /** Before and behind the ClusterNetworkPolicies' own numbers, and at the end of the tier. */
  priorities: fc.constantFrom<(priority: number) => number>(
    (priority) => priority,
    (priority) => 1000 - priority,
    () => 1000,
  ),
});
type Growth = typeof growth extends fc.Arbitrary<infer G> ? G : never;

const fieldsOf = (value: unknown): Fields => Object.fromEntries(Object.entries(Object(value) as object));
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const repeated = (list: readonly unknown[], times: number): readonly unknown[] =>
  Array.from({ length: Math.min(100, list.length * times) }, (_, at) => list[at % list.length]);

/** Of the older kinds' rules without what no v1alpha2 has a form for. */
function grown(rule: Fields, side: "from" | "to", { peers, ports }: Growth): readonly Fields[] {
  const known = listOf(rule[side]).filter((peer) => !("galaxies" in fieldsOf(peer)));
  if (known.length === 0) return [];
  const some = known.some((peer) => "domainNames" in fieldsOf(peer)) ? known : repeated(known, peers);
  if (rule["ports"] === undefined) return [{ ...rule, [side]: some }];
  const entries = listOf(rule["ports"]).filter((port) => !("portOfTheFuture" in fieldsOf(port)));
  return entries.length === 0 ? [] : [{ ...rule, [side]: some, ports: repeated(entries, ports) }];
}

function grownPolicy(object: PolicyObject, how: Growth): PolicyObject {
  const spec = fieldsOf(object.spec);
  const rules = (name: string, side: "from" | "to") =>
    spec[name] === undefined
      ? {}
      : {
          [name]: repeated(
            listOf(spec[name]).flatMap((rule) => grown(fieldsOf(rule), side, how)),
            how.rules,
          ),
        };
  const place = "priority" in spec ? { priority: how.priorities(Number(spec["priority"])) } : {};
  return { ...object, spec: { ...spec, ...place, ...rules("ingress", "from"), ...rules("egress", "to") } };
}

function modelOf(objects: readonly WorldObject[]): OfflineModel<typeof noBackend> {
  const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  model.observe(objects);
  return model;
}

/** Every list of an object, with the limit of v1alpha2. */
function tooLong(value: unknown, name = ""): readonly string[] {
  if (Array.isArray(value)) {
    const own = value.length > 25 ? [`${name} has ${value.length}`] : [];
    return [...own, ...value.flatMap((one: unknown) => tooLong(one, name))];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => tooLong(one, key));
}

test("no verdict changes, and every new policy is one that v1alpha2 takes", async () => {
  const seen = { worlds: 0, split: 0, moved: 0, tied: 0, packets: 0 };
  const property = fc.property(
    proofWorld,
    fc.array(growth, { minLength: 8, maxLength: 8 }),
    (world, hows) => {
      const objects = world.objects.map((object, at) => {
        const how = hows[at % hows.length];
        return isApiObject(object) && isOldKind(object) && how !== undefined
          ? grownPolicy(object, how)
          : object;
      });
      const { policies, findings, comparison } = migrateAll(objects, dialects, 20_000);
      expect(findings.filter(({ problem }) => problem.severity === "error")).toEqual([]);
      expect(comparison?.differing).toBe(0);
      expect(policies.flatMap(({ spec }) => tooLong(spec))).toEqual([]);

      const kept = objects.filter(
        (one) => !isApiObject(one) || (isNewKind(one) && !policies.some(({ name }) => name === one.name)),
      );
      const [before, after] = [modelOf(objects), modelOf([...kept, ...policies])];
      const old = objects.filter((one) => isApiObject(one) && isOldKind(one)).length;
      const cnps = [...after.records()];
      // Nobody's name was taken twice, and nobody was forgotten.
      expect(new Set(policies.map(({ name }) => name)).size).toBe(policies.length);
      expect(cnps.length).toBeGreaterThanOrEqual([...before.records()].length);
      const fresh = cnps.filter(
        ({ object }) => !objects.some((one) => "spec" in one && one.spec === object.spec),
      );
      expect(
        fresh.flatMap(({ problems }) => problems).filter(({ severity }) => severity === "error"),
      ).toEqual([]);
      for (const { connection } of probesOf(world, 30)) {
        const [then, now] = [before.outcomes(connection), after.outcomes(connection)];
        expect([connection, now.verdicts.isSubsetOf(then.verdicts)]).toEqual([connection, true]);
        seen.packets += 1;
        seen.tied += then.verdicts.size > 1 ? 1 : 0;
      }
      seen.worlds += 1;
      seen.split += policies.length > old ? 1 : 0;
      seen.moved += policies.some(({ name }) =>
        objects.some((one) => "spec" in one && isNewKind(one) && one.name === name),
      )
        ? 1
        : 0;
    },
  );
  const run = (): void => {
    fc.assert(property, { numRuns: 120 });
  };
  // The worlds have what is hard.
  expect(await lacking(seen, { split: 6, moved: 6, tied: 1 }, run)).toEqual([]);
});
