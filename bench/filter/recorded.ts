// The tools of a node, which keep what they are told to write, and write it again in a second network namespace.

import type { IpFamily } from "../../src/model/ip.ts";
import type { FilterTools, TableTools } from "../../src/netfilter/live/filter-tools.ts";
import { iptablesLanguage } from "../../src/netfilter/live/iptables-language.ts";
import type { FilterLanguage } from "../../src/netfilter/live/language.ts";
import type { LiveFilter } from "../../src/netfilter/live/live-filter.ts";
import { NodeFilter } from "../../src/netfilter/live/node-filter.ts";
import { nftLanguage } from "../../src/netfilter/nft/language.ts";
import { TableFilter } from "../../src/netfilter/nft/table-filter.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";
import { ProcessTable } from "../../src/netfilter/run/table-tools.ts";
import { ProcessTools } from "../../src/netfilter/run/tools.ts";
import type { Variant } from "../../test/netfilter/tools.ts";
import { placeOf } from "../../test/netfilter/tools.ts";
import type { NamespaceProcess } from "../../test/support/netns.ts";

export interface Recorded {
  readonly filter: LiveFilter;
  readonly language: FilterLanguage;
  /** What was written since `forget`, in order; sets come before rules. */
  readonly writes: readonly (() => Promise<void>)[];
  forget(): void;
  stop(): void;
}

export function recorded(
  { tool, flavour }: Variant,
  node: NamespaceProcess,
  second: NamespaceProcess,
): Recorded {
  const writes: (() => Promise<void>)[] = [];
  const places = [placeOf(node), placeOf(second)] as const;
  const tools =
    tool === "nftables"
      ? tableTools(
          places.map((place) => new ProcessTable({ place })),
          writes,
        )
      : filterTools(
          places.map((place) => new ProcessTools({ place, flavour })),
          writes,
        );
  return {
    ...{ ...tools, writes },
    forget: () => {
      writes.length = 0;
    },
  };
}

type Writes = (() => Promise<void>)[];

function filterTools(all: readonly ProcessTools[], writes: Writes) {
  const [first, second] = all as readonly [ProcessTools, ProcessTools];
  const write = (change: (tools: FilterTools) => Promise<void>) => {
    writes.push(() => change(second));
    return change(first);
  };
  const tools: FilterTools = {
    read: () => first.read(),
    setSizes: () => first.setSizes(),
    changeSets: (script) => write((one) => one.changeSets(script)),
    changeRules: (family: IpFamily, text) => write((one) => one.changeRules(family, text)),
  };
  const filter = new NodeFilter(tools, readNodeProtocols());
  return { filter, language: iptablesLanguage(filterFormOf({})), stop: stopOf(all) };
}

function tableTools(all: readonly ProcessTable[], writes: Writes) {
  const [first, second] = all as readonly [ProcessTable, ProcessTable];
  const tools: TableTools = {
    list: () => first.list(),
    apply: (script) => {
      writes.push(() => second.apply(script));
      return first.apply(script);
    },
  };
  return { filter: new TableFilter(tools), language: nftLanguage(filterFormOf({})), stop: stopOf(all) };
}

function stopOf(all: readonly { stop(): void }[]): () => void {
  return () => {
    for (const one of all) one.stop();
  };
}
