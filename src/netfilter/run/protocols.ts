// The names by which this machine's tools print protocols.

import { readFileSync } from "node:fs";
import type { ProtocolNumbers } from "../live/read-saves.ts";
import { readProtocols } from "../live/read-saves.ts";

/** Without the file the tools print numbers. */
export function readNodeProtocols(file = "/etc/protocols"): ProtocolNumbers {
  try {
    return readProtocols(readFileSync(file, "utf8"));
  } catch {
    return new Map();
  }
}
