// The ACL rows of a Northbound database, of every owner, and the verdict that they give on a connection. Reads;
// writes nothing and waits for nothing.

export type { BothRows, RowDifference } from "./compare.ts";
export { bothRows, compareRows, differenceText } from "./compare.ts";
export type { RowAcl, RowSide, RowsVerdict, RowVerdict } from "./evaluate.ts";
export { evaluateRows } from "./evaluate.ts";
export type { LiveDatabase } from "./live.ts";
export { liveRecords, liveDatabase, liveMonitors } from "./live.ts";
export type { RowConnection } from "./packet.ts";
export type { RowRecords } from "./records.ts";
export { readRecords } from "./read-records.ts";
export type { DatabaseRows } from "./database-rows.ts";
export { RowsError, databaseRows } from "./database-rows.ts";
