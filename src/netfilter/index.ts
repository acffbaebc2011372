// What commands ask of the packet filter of a node: iptables and ipset, or nftables.

import type { Ref } from "../analysis/ref.ts";
import type { BackendKind, LiveBackend, RowCounts } from "../backend-kind.ts";
import { invariant } from "../lib/invariant.ts";
import { ipFamilies } from "../model/ip.ts";
import { OfflineModel } from "../offline/model.ts";
import type { RenderedModel } from "../offline/rendered.ts";
import type { PolicyKey } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import { changesOf } from "./changes.ts";
import { nftScript } from "./nft/script.ts";
import { filterFormOf, insideOf, netfilterOptions, nftablesOptions, nodeAddressesOf } from "./options.ts";
import type { FilterPart } from "./preview.ts";
import { FilterPreview } from "./preview.ts";
import { restoreText } from "./print-restore.ts";
import { filterText } from "./print-table.ts";
import { cleanUpIptables, cleanUpNftables } from "./run/cleanup.ts";
import { examineNode } from "./run/checks/examine.ts";
import { openIptables } from "./run/iptables-side.ts";
import { NetfilterRun } from "./run/netfilter-run.ts";
import { openNftables } from "./run/nftables-side.ts";
import type { OpenNodeSide } from "./run/node-side.ts";
import { netfilterMetrics } from "./run/run-metrics.ts";

function previewOf({ backend }: RenderedModel): FilterPreview {
  invariant(backend instanceof FilterPreview, "the model is of another backend");
  return backend;
}

/** How a tool's backend differs from another's. */
interface FilterKind extends Pick<BackendKind, "name" | "writes" | "options" | "live"> {
  readonly partsOf: (preview: FilterPreview) => readonly FilterPart[];
  /** Of `render -o restore`. */
  readonly restore: (preview: FilterPreview) => string;
}

function filterKind({ partsOf, restore, ...own }: FilterKind): BackendKind {
  const ofModel = (model: RenderedModel) => partsOf(previewOf(model));
  return {
    ...own,
    needsZone: true,
    // A family without rules would be open, so a cluster that shows none yet has both.
    families: ipFamilies,
    nodeAddresses: nodeAddressesOf,
    inside: insideOf,
    forms: { restore: (model) => restore(previewOf(model)) },
    model: ({ objects, dialects, families, zone, backendFlags }) => {
      const form = filterFormOf(backendFlags);
      const served = families ?? ipFamilies;
      const model = new OfflineModel({
        ...{ dialects, families: served, zone, inside: insideOf(backendFlags) },
        backend: (membership) => new FilterPreview(membership, zone, form),
      });
      model.observe(objects);
      return model;
    },
    data: (model) => dataOf(ofModel(model)),
    text: (model) => filterText(ofModel(model)),
    counts: (model) => countsOf(ofModel(model)),
    changes: ({ old, new: next }) => changesOf(ofModel(old), ofModel(next)),
  };
}

function liveWith(cleanUp: LiveBackend["cleanUp"], open: OpenNodeSide): LiveBackend {
  return {
    existing: () => Promise.reject(new Error("what a packet filter has cannot be compared yet")),
    cleanUp,
    nothingOwned: "no rules or sets of Northgate's are on the node",
    verdictText: () => "",
    hasRemotes: false,
    metrics: netfilterMetrics,
    observation: null,
    examine: (examination) => examineNode(examination, open),
    open: (request) => new NetfilterRun(request, open),
  };
}

export const iptables: BackendKind = filterKind({
  name: "iptables",
  writes: "chains and sets of a node's packet filter, in iptables and ipset",
  options: netfilterOptions,
  partsOf: (preview) => preview.filters(),
  restore: (preview) => restoreText(preview.filters()),
  live: liveWith(cleanUpIptables, openIptables),
});

export const nftables: BackendKind = filterKind({
  name: "nftables",
  writes: "one table of a node's packet filter, in nftables",
  options: nftablesOptions,
  partsOf: (preview) => [{ family: "inet", ...preview.table() }],
  restore: (preview) => nftScript(preview.table()),
  live: liveWith(cleanUpNftables, openNftables),
});

/** By family, chains with their rules and sets with their elements. */
function dataOf(filters: readonly FilterPart[]): object {
  return Object.fromEntries(filters.map(({ family, chains, sets }) => [family, { chains, sets }]));
}

function countsOf(filters: readonly FilterPart[]): (policy: Ref) => RowCounts {
  const counts = new Map<PolicyKey, { chains: number; rules: number }>();
  for (const { policy, rules } of filters.flatMap(({ chains }) => chains)) {
    if (policy === null) continue;
    const before = counts.get(policy) ?? { chains: 0, rules: 0 };
    counts.set(policy, { chains: before.chains + 1, rules: before.rules + rules.length });
  }
  return (policy) => counts.get(policyKey(policy)) ?? { chains: 0, rules: 0 };
}
