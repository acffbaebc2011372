// The contract of a backend, held by the one of a packet filter on the real tools: iptables of both flavours, and nftables.

import { backendContract } from "../backend/backend.contract.ts";
import { netfilterHarness } from "../backend/netfilter-harness.ts";
import { tableHarness } from "../backend/table-harness.ts";
import { ProcessTable } from "../../src/netfilter/run/table-tools.ts";
import { ProcessTools } from "../../src/netfilter/run/tools.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { describeWithNetfilter } from "./describe.ts";
import { flavours, placeOf, RealFilter } from "./tools.ts";

for (const flavour of flavours)
  describeWithNetfilter(`the contract on iptables-${flavour}`, flavour, () => {
    backendContract(`the backend of a packet filter on iptables-${flavour}`, async () => {
      const namespace = await NamespaceProcess.hold();
      const filter = new RealFilter(namespace, flavour);
      const tools = new ProcessTools({ place: placeOf(namespace), flavour });
      const harness = netfilterHarness({
        tools,
        intervalMs: 250,
        clear: async () => {
          filter.clear();
        },
        dispose: async () => {
          tools.stop();
          await namespace.end();
        },
      });
      // Each commit takes processes.
      return { ...harness, trialsIn: 25 };
    });
  });

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
    // Each commit takes processes.
    return { ...harness, trialsIn: 25 };
  });
});
