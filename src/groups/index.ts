// The incremental core's door: facts and groups in, membership and edges out.

export { Groups } from "./groups.ts";
export type { Partitions } from "./partitions.ts";
