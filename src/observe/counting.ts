// One reading of a switch: the flow entries of all rules, asked by their cookies, over a connection of its own.

import type { Clock } from "../lib/clock.ts";
import type { RuleFlow } from "./flows.ts";
import { OpenFlowConnection } from "./openflow/connection.ts";
import type { Reading } from "./tally.ts";

/** `path`: of the bridge's management socket. Rejects with an Error of one sentence. */
export async function readSwitch(path: string, flows: readonly RuleFlow[], clock: Clock): Promise<Reading> {
  const connection = await OpenFlowConnection.open(path, clock);
  try {
    const askedMs = clock.now();
    const entries = await connection.entriesOf(new Set(flows.map(({ cookie }) => cookie)));
    return { askedMs, answeredMs: clock.now(), entries };
  } finally {
    connection.close();
  }
}
