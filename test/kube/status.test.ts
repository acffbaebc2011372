// Conditions on a real API server: two zones side by side, what changes when one of them writes, and what does not.

import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { HttpApi, KubeSource, noStatus, openKubeconfig } from "../../src/kube/index.ts";
import type { Condition } from "../../src/kube/index.ts";
import { DepartedZones, zonedPolicy } from "../../src/kube/write/departed-zones.ts";
import { StatusWriter } from "../../src/kube/write/status-writer.ts";
import type { PolicyOutcome } from "../../src/kube/write/zone-condition.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { ObjectKey, PolicyObject } from "../../src/model/object.ts";
import { objectKey } from "../../src/model/object.ts";
import { policies, shownKey } from "../../src/dialects.ts";
import type { PolicyKindTraits } from "../../src/policy/contracts/dialect.ts";
import { eventually } from "../support/eventually.ts";
import { HandClock, LineLogger } from "../support/scripted-api.ts";
import type { KubernetesObject } from "./api.ts";
import { create, createAll, patch, pathOf, remove, removeAll } from "./bulk.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy, baselinePolicy, clusterPolicy } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";
import { patience } from "../support/patience.ts";

const ready = { status: "True", reason: "SetupSucceeded", message: "in force" } as const;
const failed = { status: "False", reason: "SetupFailed", message: "not in force" } as const;
const spec = { priority: 10, subject: { namespaces: {} } };

await describeWithControlPlane("status", (plane) => {
  const ends: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    await installCrds(plane());
  }, patience(60_000));

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const connect = async (kubeconfig = plane().kubeconfig) => {
    const credentials = await openKubeconfig({ path: kubeconfig });
    const api = new HttpApi({ credentials, clock: systemClock });
    ends.push(() => {
      api.close();
    });
    return api;
  };

  /** A zone as the program has it: a source whose keys are counted, and a writer that sees what the source has seen. */
  async function zone(name: string | null) {
    const told: string[] = [];
    const common = { clock: systemClock, random: Math.random, logger: silentLogger };
    const fatal = (error: unknown) => told.push(String(error));
    const api = await connect();
    const source = new KubeSource({ ...common, api, policies, fatal });
    let synced = false;
    source.start({
      changed: (key) => told.push(key),
      synced: () => (synced = true),
      problem: (problem) => told.push(problem.problem.message),
    });
    ends.push(() => source.stop());
    const statusOf = (key: ObjectKey) => source.statusOf(key);
    const writer = new StatusWriter({
      ...common,
      api: await connect(),
      statusOf,
      zone: name,
      shown: shownKey,
      fatal,
    });
    ends.push(() => writer.stop());
    source.onStatus((key) => {
      writer.seen(key);
    });
    await eventually(() => {
      expect(synced).toBe(true);
    });
    const report = (object: PolicyObject, kind: PolicyKindTraits, outcome: Omit<PolicyOutcome, "type">) => {
      writer.report(object, kind, { type: kind.conditions?.type(name) ?? "", ...outcome });
    };
    return { source, writer, report, told };
  }

  const kindOf = ({ kind: name }: KubernetesObject) => policies.find(({ kind }) => kind === name)!;
  const keyOf = (stored: KubernetesObject) => objectKey(kindOf(stored), null, stored.metadata.name);

  function read(source: KubeSource, stored: KubernetesObject): PolicyObject {
    const object = source.read(keyOf(stored));
    if (object === null || !("spec" in object)) throw new Error("not seen yet");
    return object;
  }

  async function seen(source: KubeSource, stored: KubernetesObject, generation = 1): Promise<PolicyObject> {
    await eventually(() => {
      expect(read(source, stored)).toMatchObject({ generation, uid: stored.metadata.uid });
    });
    return read(source, stored);
  }

  async function look(stored: KubernetesObject) {
    const object = await plane().api.object("GET", pathOf(stored));
    const status = object.status as { conditions: readonly Condition[] } | undefined;
    return { metadata: object.metadata, conditions: status?.conditions ?? [] };
  }

  test("each zone writes its own condition, once, and nobody is woken by it", async () => {
    for (const stored of [
      await create(plane().api, adminPolicy("a", spec)),
      await create(plane().api, baselinePolicy({ subject: { namespaces: {} } })),
    ]) {
      const [one, two] = [await zone("one"), await zone("two")];
      const object = await seen(one.source, stored);
      const told = one.told.length;
      one.report(object, kindOf(stored), ready);
      two.report(await seen(two.source, stored), kindOf(stored), failed);
      await Promise.all([one.writer.idle(), two.writer.idle()]);
      const { metadata, conditions } = await look(stored);
      const common = { observedGeneration: 1, lastTransitionTime: expect.stringMatching(/^\d{4}-.*T.*Z$/) };
      expect(conditions).toHaveLength(2);
      expect(conditions).toEqual(
        expect.arrayContaining([
          { type: "Ready-In-Zone-one", ...ready, ...common },
          { type: "Ready-In-Zone-two", ...failed, ...common },
        ]),
      );
      expect(metadata.generation).toBe(1);
      await eventually(() => {
        expect(one.source.conditionsOf(keyOf(stored))).toHaveLength(2);
      });
      const restarted = await zone("one");
      for (let n = 0; n < 20; n++) {
        one.report(object, kindOf(stored), ready);
        restarted.report(object, kindOf(stored), ready);
        await Promise.all([one.writer.idle(), restarted.writer.idle()]);
      }
      expect(one.writer.stats).toEqual({ writes: 1, skipped: 20, failures: 0 });
      expect(restarted.writer.stats).toEqual({ writes: 0, skipped: 20, failures: 0 });
      expect((await look(stored)).metadata.resourceVersion).toBe(metadata.resourceVersion);
      expect(one.told).toHaveLength(told);
      await remove(plane().api, stored);
    }
  });

  test("the condition of a zone that has no Node is removed by another zone, and no other condition", async () => {
    const stored = await create(plane().api, adminPolicy("a", spec));
    const [left, own] = [await zone("left"), await zone("own")];
    left.report(await seen(left.source, stored), kindOf(stored), failed);
    const object = await seen(own.source, stored);
    own.report(object, kindOf(stored), ready);
    await Promise.all([left.writer.idle(), own.writer.idle()]);
    await left.writer.stop();
    await eventually(() => {
      expect(own.source.conditionsOf(keyOf(stored))).toHaveLength(2);
    });
    const logger = new LineLogger();
    const departed = new DepartedZones({
      api: await connect(),
      policies: () => [zonedPolicy(object, kindOf(stored), kindOf(stored).conditions?.type ?? null)],
      statusOf: (key) => own.source.statusOf(key),
      ...{ hasNode: () => false, zone: "own", leads: () => true },
      ...{ clock: systemClock, random: Math.random, logger },
      fatal: (error) => {
        throw error;
      },
    });
    await departed.look();
    expect((await look(stored)).conditions).toHaveLength(2);
    await departed.look();
    expect((await look(stored)).conditions).toEqual([
      expect.objectContaining({ type: "Ready-In-Zone-own", ...ready }),
    ]);
    expect(logger.lines).toHaveLength(1);
    await remove(plane().api, stored);
  });

  /** The columns Ready and Reason, as `kubectl get` is given them. */
  async function columns(stored: KubernetesObject): Promise<readonly unknown[]> {
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const answer = await plane().api.text("GET", pathOf(stored), { accept });
    const { columnDefinitions, rows } = JSON.parse(answer) as {
      readonly columnDefinitions: readonly { readonly name: string }[];
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
    };
    return ["Ready", "Reason"].map((wanted) => {
      const at = columnDefinitions.findIndex(({ name }) => name === wanted);
      return at < 0 ? `no column ${wanted}` : rows[0]?.cells[at];
    });
  }

  test("kubectl's columns say of every kind whether all zones have it in force, and why one has not", async () => {
    for (const stored of [
      await create(plane().api, adminPolicy("a", spec)),
      await create(plane().api, baselinePolicy({ subject: { namespaces: {} } })),
      await create(plane().api, clusterPolicy("a", { ...spec, tier: "Admin" })),
    ]) {
      expect(await columns(stored)).toEqual([null, null]);
      const [one, two] = [await zone("one"), await zone("two")];
      const [first, second] = [await seen(one.source, stored), await seen(two.source, stored)];
      const after = async (outcome: typeof ready | typeof failed): Promise<readonly unknown[]> => {
        two.report(second, kindOf(stored), outcome);
        await two.writer.idle();
        return columns(stored);
      };
      one.report(first, kindOf(stored), ready);
      await one.writer.idle();
      expect(await columns(stored)).toEqual(["True", "SetupSucceeded"]);
      expect(await after(failed)).toEqual(["False", "SetupFailed"]);
      expect(await after(ready)).toEqual(["True", "SetupSucceeded"]);
      await remove(plane().api, stored);
    }
  });

  test(
    "a condition that another manager overwrites or removes is written again, and once only",
    async () => {
      const { source, writer, report } = await zone("one");
      const stored = await create(plane().api, adminPolicy("a", spec));
      report(await seen(source, stored), kindOf(stored), ready);
      await writer.idle();
      const ours = { type: "Ready-In-Zone-one", ...ready };
      await eventually(() => {
        expect(source.conditionsOf(keyOf(stored))).toMatchObject([ours]);
      });
      const other = await connect();
      const overwrite = async (condition: object) => {
        const { status } = await other.request({
          method: "PATCH",
          path: `${pathOf(stored)}/status`,
          contentType: "application/merge-patch+json",
          body: { status: { conditions: [condition] } },
        });
        expect(status).toBe(200);
      };
      const lastTransitionTime = "2020-01-01T00:00:00Z";
      await overwrite({ ...ours, ...failed, observedGeneration: 1, lastTransitionTime });
      await eventually(async () => {
        expect((await look(stored)).conditions).toMatchObject([{ ...ours, observedGeneration: 1 }]);
      });
      // The server stores it before the writer has its answer.
      await writer.idle();
      expect(writer.stats).toMatchObject({ writes: 2, failures: 0 });
      // The second time only after 10 s, and then for what was removed too.
      await overwrite({ ...ours, type: "Another", lastTransitionTime });
      await eventually(async () => {
        const { conditions } = await look(stored);
        expect(conditions.find(({ type }) => type === ours.type)).toMatchObject(ours);
      }, 40_000);
      await writer.idle();
      expect(writer.stats).toMatchObject({ writes: 3, failures: 0 });
      await remove(plane().api, stored);
    },
    patience(90_000),
  );

  test("an edit is answered with its generation; the transition time stays while the status does", async () => {
    const { source, writer, report } = await zone("one");
    const stored = await create(plane().api, adminPolicy("a", spec));
    report(await seen(source, stored), kindOf(stored), ready);
    await writer.idle();
    const [first] = (await look(stored)).conditions;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await patch(plane().api, stored, { spec: { priority: 11 } });
    report(await seen(source, stored, 2), kindOf(stored), ready);
    await writer.idle();
    const [second] = (await look(stored)).conditions;
    expect(second).toEqual({ ...first, observedGeneration: 2 });
    report(await seen(source, stored, 2), kindOf(stored), failed);
    await writer.idle();
    const [third] = (await look(stored)).conditions;
    expect(third).toMatchObject(failed);
    expect(third?.lastTransitionTime).not.toBe(first?.lastTransitionTime);
    await plane().kubectl([
      "wait",
      "anp/a",
      "--for=condition=Ready-In-Zone-one=False",
      `--timeout=${patience(10_000)}ms`,
    ]);
    await remove(plane().api, stored);
  });

  test("a message of any length is taken, and is equal to itself when it comes back", async () => {
    const { source, writer, report } = await zone("one");
    const stored = await create(plane().api, adminPolicy("a", spec));
    const object = await seen(source, stored);
    const texts = ["x".repeat(40_000), "\u{1F512}".repeat(40_000), 'line\n"quoted" \u0000 \ud800 <b>&\u2028'];
    for (const [place, message] of texts.entries()) {
      report(object, kindOf(stored), { ...failed, message });
      await writer.idle();
      await eventually(async () => {
        expect(source.conditionsOf(keyOf(stored))).toEqual((await look(stored)).conditions);
      });
      const restarted = await zone("one");
      restarted.report(object, kindOf(stored), { ...failed, message });
      await restarted.writer.idle();
      expect(restarted.writer.stats.skipped).toBe(1);
      // Of two writers of one zone each would write its own text again.
      await restarted.writer.stop();
      expect(writer.stats).toEqual({ writes: place + 1, skipped: 0, failures: 0 });
    }
    await remove(plane().api, stored);
  });

  test("a withdrawal takes our condition, leaves the others', and leaves no owner behind", async () => {
    const [one, two] = [await zone("one"), await zone(null)];
    const stored = await create(plane().api, adminPolicy("a", spec));
    const object = await seen(one.source, stored);
    const gone = { ...object, name: "gone" };
    for (const { writer, report } of [one, two]) {
      report(object, kindOf(stored), ready);
      await writer.idle();
    }
    const resource = kindOf(stored);
    expect(
      await one.writer.withdraw([
        { object, resource },
        { object: gone, resource },
      ]),
    ).toEqual([]);
    const between = await look(stored);
    expect(between.conditions.map(({ type }) => type)).toEqual(["Ready-In-Zone-global"]);
    expect(JSON.stringify(await managers(stored))).not.toContain("one");
    expect(await two.writer.withdraw([{ object, resource }])).toEqual([]);
    const after = await look(stored);
    expect(after.conditions).toEqual([]);
    expect(await managers(stored)).not.toContain("northgate");
    expect(await two.writer.withdraw([{ object, resource }])).toEqual([]);
    expect((await look(stored)).metadata.resourceVersion).toBe(after.metadata.resourceVersion);
    await remove(plane().api, stored);
  });

  async function managers(stored: KubernetesObject): Promise<readonly string[]> {
    const name = `${stored.kind}/${stored.metadata.name}`;
    const path = "jsonpath={.metadata.managedFields[*].manager}";
    return (await plane().kubectl(["get", name, "--show-managed-fields", "-o", path])).split(" ");
  }

  test("a policy deleted under our hands ends its write; made anew, it is told again", async () => {
    const { source, writer, report } = await zone("one");
    const stored = await create(plane().api, adminPolicy("a", spec));
    const object = await seen(source, stored);
    await remove(plane().api, stored);
    report(object, kindOf(stored), ready);
    await writer.idle();
    expect(writer.stats).toEqual({ writes: 0, skipped: 0, failures: 0 });
    const again = await create(plane().api, adminPolicy("a", spec));
    const made = await seen(source, again);
    // Too late: the name is another's by now.
    report(object, kindOf(stored), failed);
    await writer.idle();
    expect(writer.stats).toEqual({ writes: 0, skipped: 1, failures: 0 });
    expect((await look(again)).conditions).toEqual([]);
    report(made, kindOf(again), ready);
    await eventually(async () => {
      expect((await look(again)).conditions).toEqual([expect.objectContaining(ready)]);
    });
    await remove(plane().api, again);
  });

  test("without the right to write statuses, one line says so; with it, they are written", async () => {
    const logger = new LineLogger();
    const clock = new HandClock();
    const api = await connect(await plane().user({ name: "poor" }));
    const writer = new StatusWriter({
      api,
      statusOf: () => noStatus,
      zone: "one",
      shown: shownKey,
      clock,
      random: () => 1,
      logger,
    });
    ends.push(() => writer.stop());
    const { source } = await zone("one");
    const written = await createAll(
      plane().api,
      ["a", "b", "c"].map((name) => adminPolicy(name, spec)),
    );
    const type = "Ready-In-Zone-one";
    for (const stored of written)
      writer.report(await seen(source, stored), kindOf(stored), { type, ...ready });
    await writer.idle();
    expect(writer.stats.failures).toBe(3);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.fields["reason"]).toContain(
      'User "poor" cannot patch resource "adminnetworkpolicies/status"',
    );
    const rule = ["--verb=patch", "--resource=adminnetworkpolicies/status"];
    await plane().kubectl(["create", "clusterrole", "status", ...rule]);
    await plane().kubectl(["create", "clusterrolebinding", "status", "--clusterrole=status", "--user=poor"]);
    await eventually(async () => {
      clock.elapse(61_000);
      await writer.idle();
      expect(writer.stats.writes).toBe(3);
    });
    for (const stored of written) expect((await look(stored)).conditions).toHaveLength(1);
    expect(logger.lines.map(({ text }) => text)).toEqual([
      expect.any(String),
      "writes to the API server succeed again",
    ]);
    await removeAll(plane().api, written);
  });
});
