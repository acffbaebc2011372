// Datagrams of IPFIX as Open vSwitch 3.5.0 sent them, in that order; templates that no record has are left out.

import { readFileSync } from "node:fs";

export const captured = readFileSync(new URL("open-vswitch-ipfix.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => Buffer.from(line, "hex"));
