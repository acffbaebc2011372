// Leading needs sight: of two instances on one database, each with a way of its own to the API server, the one that sees leads.
// While none sees, the leader keeps the claim and repairs what it last planned, and nothing is removed.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { adminPolicy } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { ApiProxy } from "./api-proxy.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import type { Run } from "./running.ts";
import { move } from "./steps.ts";

const timeout = "--source-timeout=3";
const patienceMs = 60_000;

await describeEndToEnd("an instance and its source", {}, (harness) => {
  let ways: readonly [ApiProxy, ApiProxy];

  beforeAll(async () => {
    const { url } = harness().plane;
    ways = [await ApiProxy.open(url), await ApiProxy.open(url)];
  }, slow);
  afterAll(async () => {
    for (const way of ways) await way.cut();
  });
  afterEach(async () => {
    for (const way of ways) await way.listen();
    await harness().end();
    await harness().objects.wipe();
    await harness().start().ready();
    await harness().converged();
    await harness().end();
  }, slow);

  const through = (way: ApiProxy, name: string) => {
    const kubeconfig = join(harness().dir, `${name}.kubeconfig`);
    way.kubeconfig(harness().kubeconfig, kubeconfig);
    return { kubeconfig, args: [timeout] };
  };
  const startFirst = () => harness().start(through(ways[0], "first"));
  const startSecond = () => harness().startSecond(through(ways[1], "second"));
  const state = async (run: Run) => {
    const answer = await fetch(`${await run.address()}/readyz`);
    const metrics = await run.metrics();
    return { status: answer.status, text: await answer.text(), leads: metrics.value("northgate_leader") };
  };
  const comes = (run: Run, wanted: object) =>
    eventually(async () => {
      expect(await state(run)).toMatchObject(wanted);
    }, patienceMs);
  const leads = { status: 200, leads: 1 };
  const standsBy = { status: 200, leads: 0, text: expect.stringContaining("standby") };
  const isLost = {
    status: 503,
    text: expect.stringMatching(/^the source is out of contact: .*pods for \d+ s/m),
  };
  /** The first leads, the second stands by. */
  const startPair = async (): Promise<{ readonly first: Run; readonly second: Run }> => {
    const first = startFirst();
    await move(harness(), null, new Set());
    await comes(first, leads);
    const second = startSecond();
    await comes(second, standsBy);
    return { first, second };
  };
  const deny = adminPolicy("later", {
    ...{
      priority: 7,
      subject: { namespaces: {} },
      ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
    },
  });

  test(
    "a leader that is cut off is not ready, and gives way to the one that sees, which follows the next edit",
    async () => {
      const { first, second } = await startPair();
      await ways[0].cut();
      await comes(first, { ...isLost, leads: 0 });
      await comes(second, leads);
      await harness().objects.apply(deny);
      await harness().converged();
      expect(first.told("the source is out of contact: its objects may be others than those known")).toBe(1);
      await ways[0].listen();
      await comes(first, standsBy);
      await eventually(() => {
        expect(first.told("the source is in contact again")).toBe(1);
      });
      await comes(second, leads);
    },
    slow,
  );

  test(
    "a standby that is cut off is not ready, and takes nothing when the leader ends",
    async () => {
      const { second } = await startPair();
      await ways[1].cut();
      await comes(second, { ...isLost, leads: 0 });
      const before = await harness().rows();
      await harness().kill();
      await comes(second, { ...isLost, leads: 0 });
      await ways[1].listen();
      await comes(second, leads);
      expect(await harness().rows()).toEqual(before);
    },
    slow,
  );

  test(
    "while nobody sees, the leader keeps the claim, repairs its rows and removes none; both are not ready",
    async () => {
      const { first, second } = await startPair();
      const before = await harness().rows();
      for (const way of ways) await way.cut();
      await comes(first, { ...isLost, leads: 1 });
      await comes(second, { ...isLost, leads: 0 });
      await harness().ovn.nbctl("--all", "destroy", "Port_Group");
      // Other uuids, the same rows.
      await eventually(async () => {
        expect((await harness().rows()).tables.ACL.length).toBe(before.tables.ACL.length);
      });
      expect(await state(first)).toMatchObject({ ...isLost, leads: 1 });
      const alone = await first.metrics();
      expect(alone.value("northgate_sweeps_total")).toBe(0);
      for (const way of ways) await way.listen();
      await comes(first, leads);
      await comes(second, standsBy);
      await harness().converged();
    },
    slow,
  );

  test(
    "one that has never seen its source takes no claim, and the next one leads at once",
    async () => {
      const writer = harness().start();
      await move(harness(), null, new Set());
      await comes(writer, leads);
      const before = await harness().rows();
      await harness().end();
      await ways[1].cut();
      const blind = startSecond();
      await comes(blind, { ...isLost, leads: 0 });
      expect(await harness().ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
      const seeing = startFirst();
      await comes(seeing, leads);
      expect(await harness().rows()).toEqual(before);
    },
    slow,
  );
});
