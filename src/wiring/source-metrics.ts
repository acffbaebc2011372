// The metrics of a source that is an API server: what is watched there, and what is written back to it. A source of another kind
// has no series of them.

import type { ResourceState } from "../kube/index.ts";
import type { ReadMetric, Series } from "../metrics/read-metric.ts";
import type { Sight } from "../status/sight.ts";
import type { OpenedSource } from "./sources.ts";

export interface SourceParts {
  readonly source: Pick<OpenedSource, "resources">;
  readonly sight: Pick<Sight, "seconds">;
  /** [kind: status or event, outcome: written, skipped or failed]. */
  readonly writes: () => Series;
}

const resources =
  (read: (resource: ResourceState) => number) =>
  ({ source }: SourceParts): Series =>
    source.resources().map((resource) => [[resource.resource], read(resource)]);

export const sourceMetrics: readonly ReadMetric<SourceParts>[] = [
  {
    type: "gauge",
    name: "northgate_source_last_contact_seconds",
    help: "Seconds since the source last answered for a resource; of a folder, since it could be read.",
    labels: ["resource"],
    moves:
      "a list, a watch event, a probe each 10 s without them; [out of contact](operations.md#a-source-out-of-contact)",
    series: ({ sight }) => sight.seconds().map(([resource, seconds]) => [[resource], seconds]),
  },
  {
    type: "gauge",
    name: "northgate_source_objects",
    help: "Objects held of each resource: its lower-case plural, with its group where two kinds have the same.",
    labels: ["resource"],
    moves: "the API server reports objects",
    series: resources(({ objects }) => objects),
  },
  {
    type: "gauge",
    name: "northgate_source_synced",
    help: "1 once a resource has been listed.",
    labels: ["resource"],
    moves: "the first list",
    series: resources(({ synced }) => Number(synced)),
  },
  {
    type: "counter",
    name: "northgate_source_requests_total",
    help: "Lists and watches sent.",
    labels: ["resource"],
    moves: "each request",
    series: resources(({ stats }) => stats.requests),
  },
  {
    type: "counter",
    name: "northgate_source_watches_total",
    help: "Watches accepted.",
    labels: ["resource"],
    moves: "a watch begins",
    series: resources(({ stats }) => stats.watches),
  },
  {
    type: "counter",
    name: "northgate_source_relists_total",
    help: "Lists repeated, by reason.",
    labels: ["resource", "reason"],
    moves: "a watch cannot be resumed",
    series: ({ source }) =>
      source
        .resources()
        .flatMap(({ resource, stats }) =>
          Object.entries(stats.relists).map(([reason, count]) => [[resource, reason], count] as const),
        ),
  },
  {
    type: "counter",
    name: "northgate_writes_total",
    help: "Conditions (kind status) and events (kind event) by outcome: written, skipped or failed.",
    labels: ["kind", "outcome"],
    moves: "a policy's outcome is reported",
    series: ({ writes }) => writes(),
  },
];
