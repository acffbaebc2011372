// The source that the config names, and what else the program needs of it: why it is not synced, the place of a field
// for users, counters, and, for a cluster, the writers of conditions and events.

import type { RunConfig } from "../config/config.ts";
import type { ResourceState } from "../kube/index.ts";
import type { Reading } from "../informers/index.ts";
import { DirectorySource } from "../informers/index.ts";
import { HttpApi, KubeSource, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, ObjectKind, Source } from "../model/object.ts";
import type { UnreadPolicyKind } from "../policy/contracts/policy-model.ts";
import type { Cluster } from "../status/cluster-status.ts";
import type { SourceContact } from "../status/sight.ts";

export interface OpenedSource {
  readonly source: Source;
  /** null: there is no cluster to write conditions and events to. */
  readonly cluster: Cluster | null;
  /** The URL of the API server; null: there is none. */
  readonly server: string | null;
  /** One sentence for each part that is not yet synced or followed. */
  pending(): readonly string[];
  placeOf(key: ObjectKey, field: string): string | null;
  /** What is wrong with what is there now, as lines: each is removed when it is repaired. */
  problems(): readonly string[];
  resources(): readonly ResourceState[];
  /** By resource, or `directory`: when it last answered, by the system's clock. Those without which objects may be stale. */
  contacts(): readonly SourceContact[];
  /** Asks again whether kinds that the cluster does not serve are waited for. */
  reconsider(): void;
  close(): void;
}

export interface SourceKinds {
  readonly policies: readonly ObjectKind[];
  readonly references: readonly ObjectKind[];
  readonly reading: Reading;
  /** Kinds of policy that another policy model has: each object of them in a folder is an error. */
  readonly unread: readonly UnreadPolicyKind[];
  /** How many policies of the kind have rows; null: not known now. */
  readonly existing: (kind: ObjectKind) => number | null;
}

const longestProbeMs = 10_000;

/** Throws one line when the named source does not exist. */
export async function openSource(
  {
    source: config,
    allowEmpty,
    sourceTimeoutMs,
  }: Pick<RunConfig, "source" | "allowEmpty"> & Partial<Pick<RunConfig, "sourceTimeoutMs">>,
  { existing, unread, ...kinds }: SourceKinds,
  logger: Logger,
  fatal: (error: unknown) => void,
): Promise<OpenedSource> {
  if (config.kind === "directory") {
    const reading = { ...kinds.reading, unread };
    return openDirectory(config.path, { ...kinds, reading }, logger);
  }
  const credentials = await openKubeconfig({ path: config.kubeconfig, context: config.context ?? null });
  const api = new HttpApi({ credentials, clock: systemClock, objects: config.objects });
  const random = Math.random;
  const followed = { api, ...kinds, clock: systemClock, random, logger, fatal };
  // Three answers are missing before the source counts as lost.
  const timing = { probeMs: Math.min(longestProbeMs, (sourceTimeoutMs ?? Infinity) / 3) };
  const source = new KubeSource({ ...followed, missingIsEmpty: allowEmpty, existing, timing });
  return {
    source,
    server: credentials.server,
    cluster: {
      api,
      statusOf: (key) => source.statusOf(key),
      onStatus: (changed) => {
        source.onStatus(changed);
      },
    },
    pending: () => source.pending,
    placeOf: () => null,
    problems: () => source.problems,
    resources: () => source.resources,
    contacts: () => source.resources.filter(({ needsContact }) => needsContact),
    reconsider: () => {
      source.reconsider();
    },
    close: () => {
      api.close();
    },
  };
}

function openDirectory(
  path: string,
  kinds: Omit<SourceKinds, "existing" | "unread">,
  logger: Logger,
): OpenedSource {
  const onIgnored = (note: string): void => {
    logger.info("objects in the manifests are ignored", { note });
  };
  const source = new DirectorySource({ paths: [path], ...kinds, clock: systemClock, onIgnored });
  return {
    source,
    cluster: null,
    server: null,
    pending: () => [],
    placeOf: (key, field) => source.placeOf(key, field),
    problems: () => source.problems,
    resources: () => [],
    contacts: () => {
      const { contactMs } = source;
      return [{ resource: "directory", contactMs, currentMs: contactMs, failure: "it cannot be read" }];
    },
    reconsider: () => undefined,
    close: () => undefined,
  };
}
