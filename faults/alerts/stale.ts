// A program that gets a small part of a processor: a pass over many changes takes minutes, and what changes meanwhile waits for it.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { adminPolicy } from "../../test/kube/objects.ts";
import { again, type AlertFault } from "./kind.ts";
import { denied } from "./policies.ts";
import type { AlertStage } from "./stage.ts";

/** More than a pass takes. */
const policies = 12_000;
const [stoppedMs, runsMs] = [290, 10] as const;

function starved({ arena: { dir, leader } }: AlertStage) {
  const items = Array.from({ length: policies }, (_, at) => adminPolicy(`many-${at}`, denied(1 + (at % 99))));
  const draft = join(dir, "many.draft");
  const file = join(leader.folder, "many.json");
  writeFileSync(draft, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  renameSync(draft, file);
  const stop = again(0, async () => {
    leader.signal("SIGSTOP");
    await sleep(stoppedMs);
    leader.signal("SIGCONT");
    await sleep(runsMs);
  });
  return Promise.resolve(async () => {
    await stop();
    rmSync(file);
  });
}

export const staleAlert: AlertFault = {
  ...{ ground: "starved", alert: "NorthgateStale", firesMs: 300_000, clearsMs: 120_000 },
  fault: `${policies} policies come at once, and the process is stopped for ${stoppedMs} ms of every ${stoppedMs + runsMs} ms`,
  mended: "it goes on, and the policies are deleted",
  make: starved,
};
