// The public interface of the incremental core: facts and groups in, membership and edges out.

export { Groups } from "./groups.ts";
export type { Partitions } from "./partitions.ts";
