// The source that the config names, and what else the program needs of it: why it is not synced, the place of a field
// for users, counters, and, for a cluster, the writers of conditions and events.

import type { RunConfig } from "../config/config.ts";
import type { ResourceState } from "../kube/index.ts";
import { DirectorySource } from "../informers/index.ts";
import { HttpApi, KubeSource, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, ObjectKind, Source } from "../model/object.ts";
import type { Cluster } from "../status/cluster-status.ts";

export interface OpenedSource {
  readonly source: Source;
  /** null: there is no cluster to write conditions and events to. */
  readonly cluster: Cluster | null;
  /** The URL of the API server; null: there is none. */
  readonly server: string | null;
  /** One sentence for each part that is not yet synced or followed. */
  pending(): readonly string[];
  placeOf(key: ObjectKey, field: string): string | null;
  resources(): readonly ResourceState[];
  /** Asks again whether kinds that the cluster does not serve are waited for. */
  reconsider(): void;
  close(): void;
}

export interface SourceKinds {
  readonly policies: readonly ObjectKind[];
  readonly references: readonly ObjectKind[];
  /** How many policies of the kind have rows; null: not known now. */
  readonly standing: (kind: ObjectKind) => number | null;
}

/** Throws one line when the named source does not exist. */
export async function openSource(
  { source: config, allowEmpty }: Pick<RunConfig, "source" | "allowEmpty">,
  { standing, ...kinds }: SourceKinds,
  logger: Logger,
  fatal: (error: unknown) => void,
): Promise<OpenedSource> {
  if (config.kind === "directory") {
    const onIgnored = (note: string): void => {
      logger.info("objects among the manifests are left alone", { note });
    };
    const source = new DirectorySource({ paths: [config.path], ...kinds, clock: systemClock, onIgnored });
    return {
      source,
      cluster: null,
      server: null,
      pending: () => [],
      placeOf: (key, field) => source.placeOf(key, field),
      resources: () => [],
      reconsider: () => undefined,
      close: () => undefined,
    };
  }
  const credentials = await openKubeconfig({ path: config.kubeconfig, context: config.context ?? null });
  const api = new HttpApi({ credentials, clock: systemClock });
  const random = Math.random;
  const followed = { api, ...kinds, clock: systemClock, random, logger, fatal };
  const source = new KubeSource({ ...followed, missingIsEmpty: allowEmpty, standing });
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
    resources: () => source.resources,
    reconsider: () => {
      source.reconsider();
    },
    close: () => {
      api.close();
    },
  };
}
