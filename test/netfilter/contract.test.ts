// The contract of a backend, held by the one of a packet filter on the real tools, in both flavours.

import { backendContract } from "../backend/backend.contract.ts";
import { netfilterHarness } from "../backend/netfilter-harness.ts";
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
        intervalMs: 50,
        clear: async () => {
          filter.clear();
        },
        dispose: async () => {
          tools.stop();
          await namespace.end();
        },
      });
      // Each commit takes processes.
      return { ...harness, trialsIn: 12 };
    });
  });
