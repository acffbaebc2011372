// The contract of a backend, held by the Northbound backend on the fake and on a real ovsdb-server, and by the in-memory
// backend.

import { describe, test } from "@jest/globals";
import { ovn } from "../ovsdb/real-server.ts";
import { backendContract } from "./backend.contract.ts";
import { memoryHarness } from "./memory-harness.ts";
import { fakeFilterHarness } from "./netfilter-harness.ts";
import { fakeTableHarness } from "./table-harness.ts";
import { fakeNorthboundHarness, realNorthboundHarness } from "./northbound-harness.ts";

backendContract("the in-memory backend", memoryHarness);
backendContract("the Northbound backend on the fake", fakeNorthboundHarness);
backendContract("the backend of a packet filter on the double of its tools", fakeFilterHarness);
backendContract("the backend of a packet filter on the double of nft", fakeTableHarness);

if (ovn === null) {
  describe.skip("the Northbound backend on ovsdb-server", () => {
    test.todo("needs ovsdb-server");
  });
} else {
  backendContract("the Northbound backend on ovsdb-server", realNorthboundHarness);
}
