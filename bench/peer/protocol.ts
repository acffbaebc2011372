// What the bench and the peer's program (driver/main.go) say to each other: one JSON text a line, a request and its answer in
// turn. "start" and "change" have no answer.

/** An object as it is now; null: there is none of that key. */
export interface PeerChange {
  readonly kind: string;
  readonly key: string;
  readonly object: object | null;
}

export type PeerRequest =
  /** `node`: the one on which every pod is; `changes`: all objects. */
  | {
      readonly say: "prepare";
      readonly nb: string;
      readonly node: string;
      readonly changes: readonly PeerChange[];
    }
  | { readonly say: "start" }
  /** Changes that have come over and are not seen yet: the clock starts when they are. */
  | { readonly say: "stage"; readonly changes: readonly PeerChange[] }
  | { readonly say: "change" }
  /** Answered when nothing is left to do. */
  | { readonly say: "report" };

/** `at`: milliseconds as `monotonicMs` says; `cpuMs`: what the process had used then. */
export interface Used {
  readonly at: number;
  readonly cpuMs: number;
}

export interface PeerReport extends Used {
  readonly peakRssBytes: number;
  /** When the last change, or the start, began. */
  readonly changed: Used;
  /** When the last item of its queues was done, as `at`. */
  readonly quietAt: number;
  /** Logical switch ports that it knows. */
  readonly ports: number;
  /** Items that failed and were put back, since its start. */
  readonly retries: number;
}

/** Throws when the line is not a mark of the program's. */
export function usedOf(line: string): Used {
  const { at, cpuMs } = fieldsOf(line, ["at", "cpuMs"]);
  return { at, cpuMs };
}

export function reportOf(line: string): PeerReport {
  const numbers = fieldsOf(line, ["at", "cpuMs", "peakRssBytes", "quietAt", "ports", "retries"]);
  const { changed } = JSON.parse(line) as { readonly changed?: unknown };
  return { ...numbers, changed: usedOf(JSON.stringify(changed ?? null)) };
}

function fieldsOf<Name extends string>(line: string, names: readonly Name[]): Record<Name, number> {
  let mark: unknown = null;
  try {
    mark = JSON.parse(line);
  } catch {
    // Said below.
  }
  const fields = Object.entries(mark !== null && typeof mark === "object" ? mark : {});
  const found = new Map<string, unknown>(fields);
  const numbers = names.map((name) => {
    const value = found.get(name);
    if (typeof value !== "number" || !Number.isFinite(value))
      throw new Error(`the peer's program answered without a number "${name}": ${line}`);
    return [name, value] as const;
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}
