// A probe as `explain` is asked about it.

import type { Question } from "../../src/explain/question.ts";
import type { Probe } from "../proof/packets.ts";

/** null: `explain` has no such question. */
export function questionOf({
  connection: { from, to, protocol, port, sourcePort, icmp },
}: Probe): Question | null {
  if (typeof protocol === "number" || sourcePort !== undefined || icmp !== undefined) return null;
  const text = (end: typeof from) =>
    end.pod === null ? end.ip : `${end.pod.namespace}/${end.pod.name}@${end.ip}`;
  return { from: text(from), to: text(to), protocol, port: protocol === "icmp" ? null : port };
}
