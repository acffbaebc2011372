// Events on a real API server: found by the object's uid, shown by kubectl, told once.

import { beforeAll, expect, test } from "@jest/globals";
import { HttpApi, openKubeconfig } from "../../src/kube/index.ts";
import { EventWriter } from "../../src/kube/write/event-writer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { anp } from "../support/policies.ts";
import { create, remove } from "./bulk.ts";
import { installCrds } from "./crds.ts";
import { adminPolicy } from "./objects.ts";
import { describeWithControlPlane } from "./support.ts";
import { patience } from "../support/patience.ts";

const warning = {
  type: "Warning",
  reason: "ANPWithUnsupportedPriority",
  message: "This ANP a has an unsupported priority 100",
} as const;

await describeWithControlPlane("events", (plane) => {
  beforeAll(async () => {
    await installCrds(plane());
  }, patience(60_000));

  async function writing(task: (writer: EventWriter) => Promise<void>): Promise<void> {
    const credentials = await openKubeconfig({ path: plane().kubeconfig });
    const api = new HttpApi({ credentials, clock: systemClock });
    const writer = new EventWriter({ api, clock: systemClock, random: Math.random, logger: silentLogger });
    await task(writer);
    await writer.stop();
    api.close();
  }

  const eventsOf = async (uid: string) => {
    const columns = "custom-columns=:type,:reason,:count,:source.component,:message";
    const selected = ["--field-selector", `involvedObject.uid=${uid}`];
    const table = await plane().kubectl(["get", "events", ...selected, "--no-headers", "-o", columns]);
    return table.split("\n").filter((line) => line !== "");
  };

  test("kubectl shows an event with its policy, and one only, after a restart too", async () => {
    const stored = await create(
      plane().api,
      adminPolicy("a", { priority: 100, subject: { namespaces: {} } }),
    );
    const uid = stored.metadata.uid ?? "";
    const object: PolicyObject = { ...anp("a", {}), uid };
    for (const stats of [
      { writes: 1, skipped: 1, failures: 0 },
      { writes: 0, skipped: 2, failures: 0 },
    ]) {
      await writing(async (writer) => {
        writer.emit(object, warning);
        writer.emit(object, warning);
        await writer.idle();
        expect(writer.stats).toEqual(stats);
      });
    }
    expect((await eventsOf(uid)).map((line) => line.replace(/ {2,}/g, " "))).toEqual([
      expect.stringMatching(
        /^Warning ANPWithUnsupportedPriority 1 northgate This ANP a has an unsupported priority 100/,
      ),
    ]);
    const described = await plane().kubectl(["describe", "anp", "a"]);
    expect(described).toMatch(/Warning +ANPWithUnsupportedPriority +\S+ +northgate +This ANP a has an/);
    await remove(plane().api, stored);
  });

  test("a policy made anew has none of the old one's, and the longest name and message are taken", async () => {
    const name = `${"n".repeat(240)}.${"m".repeat(12)}`;
    const uids: string[] = [];
    for (let n = 0; n < 2; n++) {
      const stored = await create(
        plane().api,
        adminPolicy(name, { priority: 1, subject: { namespaces: {} } }),
      );
      const uid = stored.metadata.uid ?? "";
      uids.push(uid);
      expect(await eventsOf(uid)).toEqual([]);
      await writing(async (writer) => {
        writer.emit({ ...anp(name, {}), uid }, { ...warning, message: "\u{1F512}".repeat(5000) });
        await writer.idle();
        expect(writer.stats).toEqual({ writes: 1, skipped: 0, failures: 0 });
      });
      expect(await eventsOf(uid)).toHaveLength(1);
      await remove(plane().api, stored);
    }
    expect(new Set(uids).size).toBe(2);
  });
});
