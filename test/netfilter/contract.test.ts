// The contract of a backend, held by the one of a packet filter on the real tools: iptables on nftables in the kernel, and nftables.
// contract.long.test.ts has the older iptables.

import { backendContract } from "../backend/backend.contract.ts";
import { tableHarness } from "../backend/table-harness.ts";
import { ProcessTable } from "../../src/netfilter/run/table-tools.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { contractOn, trialsIn } from "./contract-on.ts";
import { describeWithNetfilter } from "./describe.ts";
import { placeOf, RealFilter } from "./tools.ts";

contractOn("nft");

describeWithNetfilter("the contract on nftables", "nft", () => {
  backendContract("the backend of a packet filter on nftables", async () => {
    const namespace = await NamespaceProcess.hold();
    const filter = new RealFilter(namespace, "nft");
    const tools = new ProcessTable({ place: placeOf(namespace) });
    const harness = tableHarness({
      ...{ tools, intervalMs: 250 },
      foreign: async () =>
        filter
          .tables()
          .filter((one) => !one.startsWith("table inet northgate "))
          .join(""),
      clear: async () => {
        filter.clearTables();
      },
      dispose: async () => {
        tools.stop();
        await namespace.end();
      },
    });
    return { ...harness, trialsIn };
  });
});
