// The thread that renews the claim while the event loop is busy: signs of life are those of the process that holds it, and a
// long turn is no death. It gives none when the loop has not turned for longer than it may: such a loop hangs, and another
// program must be able to lead. Writes nothing but a sign, and that only while the claim is its holder's (claim.ts).

import { parentPort, workerData } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import type { TlsFiles } from "../../ovsdb/wire/dial.ts";
import { transactOnce } from "../../ovsdb/session/transact-once.ts";
import { parseRemotes } from "../../ovsdb/wire/remote.ts";
import type { OwnClaim } from "./claim.ts";
import { lockIn, renewing, signOf } from "./claim.ts";
import type { HeartbeatTimes } from "./heartbeat-memory.ts";
import { HeartbeatMemory } from "./heartbeat-memory.ts";

/** What heartbeat.ts gives to the thread. */
export interface HeartbeatTask {
  readonly buffer: SharedArrayBuffer;
  readonly remotes: string;
  readonly database: string;
  readonly tls: TlsFiles | null;
  readonly times: HeartbeatTimes;
}

/** For connecting, and for the answer. */
const patienceMs = 3_000;

let held: OwnClaim | null = null;
let signs = 0;

async function beat({ buffer, remotes, database, tls, times }: HeartbeatTask): Promise<never> {
  const memory = new HeartbeatMemory(buffer);
  await sleep(times.lookMs);
  // A third of the thread's memory is what its start leaves behind, and V8 would keep it: this heap does not grow.
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  for (;;) {
    await sleep(times.lookMs);
    const claim = held;
    if (claim === null || memory.turnedAgoMs > times.turnMs || memory.signedAgoMs < times.lateMs) continue;
    const [count = ""] = claim.sign.split(" ");
    const sign = signOf(`${count}+${++signs}`, lockIn(claim));
    for (const remote of parseRemotes(remotes)) {
      const transaction = { database, operations: renewing({ ...claim, sign }), tls, patienceMs };
      const outcome = await transactOnce(remote, transaction);
      if (outcome === "done") memory.signed();
      // It is another's, or was given back: the loop handles whatever happens.
      if (outcome === "refused" && held === claim) held = null;
      if (outcome !== "unreachable") break;
    }
  }
}

parentPort?.on("message", (claim: OwnClaim | null) => {
  held = claim;
});
void beat(workerData as HeartbeatTask);
