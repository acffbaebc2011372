// The contract of what says what the numbers and addresses of samples mean, as the databases have it, and had it.

import type { IpAddress } from "../../model/ip.ts";
import type { PodName } from "./event.ts";
import type { ObservedRule } from "../rule.ts";

export interface SampleSource {
  /** Flow_Sample_Collector_Set.id that rows send samples to; null: no rows are sampled. */
  readonly setId: number | null;
  /** What a sample of this Sampling_App is of; null: not of an ACL. */
  connectionOf(app: number): "new" | "established" | null;
  /** `atMs`: of the packet, in milliseconds since 1970. A number that has ended counts for an hour: connections keep theirs. */
  ruleAt(number: number, atMs: number): ObservedRule | null;
  podAt(ip: IpAddress, atMs: number): PodName | null;
  /** Why what is known may be old, one line each. */
  faults(): readonly string[];
  close(): Promise<void>;
}
