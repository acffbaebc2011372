// The contract of a backend, held by the one of a packet filter on real tools.

import { backendContract } from "../backend/backend.contract.ts";
import { netfilterHarness } from "../backend/netfilter-harness.ts";
import { ProcessTools } from "../../src/netfilter/run/tools.ts";
import { NamespaceProcess } from "../support/netns.ts";
import { describeWithNetfilter } from "./describe.ts";
import { type Flavour, placeOf, RealFilter } from "./tools.ts";

/** Each commit takes processes. */
export const trialsIn = 25;

/** On one flavour of iptables, and ipset. */
export function contractOn(flavour: Flavour): void {
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
      return { ...harness, trialsIn };
    });
  });
}
