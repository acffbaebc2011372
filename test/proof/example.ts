// The form in which examples say which feature they show, what is told of them and who decides what, and the pods of the
// cluster that they are shown on (examples/multi-tenant).

export interface Example {
  /** Below examples/antrea/. */
  readonly file: string;
  /** What the document shows there: its heading, or the sample's name. */
  readonly covers: readonly string[];
  /** `policy: code field: message`; none: the policies are exact. */
  readonly told?: readonly string[];
  /**
   * `from > to protocol port: verdict, who decided`, the egress side before the ingress side; with `through address port` before
   * the colon, of a connection to a Service whose load balancer leads it there.
   */
  readonly verdicts: readonly string[];
}

export const ends = {
  blue: "blue/blue-web",
  worker: "blue-batch/blue-worker",
  green: "green/green-web",
  greenDb: "green/green-db",
  red: "red/red-web",
  yellow: "yellow/yellow-web",
  yellowDb: "yellow/yellow-db",
  visitor: "unlabelled/visitor",
} as const;
