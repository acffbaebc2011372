// Uuids made from names: what the bench writes itself has the same uuid in every database and in every run, so that
// requests can be put into bytes before anything is written.

import { createHash } from "node:crypto";

export function uuidOf(name: string): string {
  const hex = createHash("md5").update(name).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}
