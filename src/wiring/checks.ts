// What /healthz and /readyz answer. Health asks for a restart when it fails, so it looks at nothing that a restart cannot mend:
// neither at the database nor at the source of objects. Readiness says what is still pending, of every part. Notes say what is
// amiss though all was done: other replicas could do no better, so they fail neither. Invariant: an outage of the world never
// fails health, and a bug of ours always does.

import type { Checks } from "../metrics/server.ts";
import type { RunningBackend } from "../running-backend.ts";

/** What the checks look at, each at the moment of the question. */
export interface Checked {
  readonly running: Pick<RunningBackend, "role" | "pending">;
  readonly loop: { readonly synced: boolean; readonly reconciled: boolean; readonly heldBack: string | null };
  readonly source: { pending(): readonly string[] };
  readonly sight: { lines(): readonly string[] };
  /** A bug of ours has ended the work of the program; the process ends as soon as it can. */
  readonly isBroken: () => boolean;
  /** What is wrong with what is written, one line each; it is reported beside readiness and does not fail it. */
  readonly notes: () => readonly string[];
}

export function checksOf({ running, loop, source, sight, isBroken, notes }: Checked): Checks {
  const { role } = running;
  const isStandby = (): boolean => !role.leads && role.other !== null;
  const broken = (): readonly string[] => (isBroken() ? ["a bug of Northgate's has ended its work"] : []);
  const otherFlags = (): readonly string[] => {
    const flags = role.otherFlags();
    if (flags.length === 0) return [];
    return [`the instance that writes has other flags (${flags.join("; ")}): ${role.other ?? ""}`];
  };
  const readiness = (): readonly string[] => {
    const pending = source.pending();
    return [
      ...broken(),
      ...pending,
      ...sight.lines(),
      ...(loop.synced || pending.length > 0 ? [] : ["sources are not synced"]),
      ...running.pending(),
      ...(loop.heldBack === null ? [] : [loop.heldBack]),
      ...(isStandby() ? otherFlags() : []),
      ...(loop.reconciled || isStandby() ? [] : ["the first reconciliation is not done"]),
    ];
  };
  const allNotes = (): readonly string[] => [
    ...(isStandby() ? [`standby: ${role.other ?? ""} writes`] : []),
    ...notes(),
  ];
  // That there is an answer at all shows that the event loop turns.
  return { health: broken, readiness, notes: allNotes };
}
