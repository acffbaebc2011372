// The audit log of an API server, in a folder: what it is told to log, and the events that it has written.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of audit.k8s.io/v1; a request that no rule is about is not logged. */
export interface AuditPolicy {
  readonly omitStages: readonly string[];
  readonly rules: readonly object[];
}

/** `Event`: the parts of an event that are looked at. */
export class AuditLog<Event> {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Arguments for the API server. Writes the policy into the folder. */
  flags({ omitStages, rules }: AuditPolicy): readonly string[] {
    const path = join(this.#dir, "audit-policy.json");
    const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages };
    writeFileSync(path, JSON.stringify({ ...policy, rules: [...rules, { level: "None" }] }));
    return [`--audit-policy-file=${path}`, `--audit-log-path=${this.#path}`];
  }

  /** In the order in which they were written. */
  events(): readonly Event[] {
    return eventsIn(existsSync(this.#path) ? readFileSync(this.#path, "utf8") : "") as readonly Event[];
  }

  get #path(): string {
    return join(this.#dir, "audit.log");
  }
}

/** One on each line; a last line without an end is still being written. */
export function eventsIn(text: string): readonly unknown[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}
