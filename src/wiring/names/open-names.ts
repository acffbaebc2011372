// The names of a run: resolved as the settings say, or not at all. What the other parts ask of them has an answer either way.

import type { RunConfig } from "../../config/config.ts";
import type { FactChange } from "../../model/fact-store.ts";
import type { Groups } from "../../groups/index.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Source } from "../../model/object.ts";
import { Names, Resolvers } from "../../names/index.ts";
import type { Unenforced } from "../../policy/contracts/unenforced.ts";
import type { Policy } from "../../policy/ir.ts";
import type { RunningBackend } from "../../running-backend.ts";
import type { OpenedSource } from "../sources.ts";
import { FollowedDnsServers } from "./dns-servers.ts";

export interface OpenedNames {
  /** Objects, and the answers beside them. */
  readonly source: Source;
  /** null: no names are resolved. */
  readonly names: Names | null;
  readonly follower: { follow(change: FactChange): void } | null;
  /** As of LoopOptions. */
  readonly waits: () => boolean;
  /** Why the policy is in force in part. */
  unenforced(policy: Policy | null): Unenforced | null;
  /** What is amiss with the sources of answers, one line each. */
  lines(): readonly string[];
  start(): void;
  stop(): Promise<void>;
}

interface NamesParts {
  readonly config: Pick<RunConfig, "names">;
  readonly source: Pick<OpenedSource, "source" | "cluster">;
  readonly groups: Pick<Groups, "namesAsked">;
  readonly running: Pick<RunningBackend, "heldAddresses" | "backend">;
  readonly logger: Logger;
  readonly fatal: (error: unknown) => void;
}

function withoutNames(source: Source): OpenedNames {
  return {
    ...{ source, names: null, follower: null },
    waits: () => false,
    unenforced: () => null,
    lines: () => [],
    start: () => undefined,
    stop: () => Promise.resolve(),
  };
}

export function openNames({ config, source, groups, running, logger, fatal }: NamesParts): OpenedNames {
  if (config.names === null) return withoutNames(source.source);
  const { servers: from, ...settings } = config.names;
  const { backend } = running;
  const resolvers = new Resolvers();
  const names = new Names({
    ...settings,
    source: source.source,
    ask: (server, name, family) => resolvers.ask(server, name, family),
    asked: () => groups.namesAsked,
    held: (group) => (backend.ready ? running.heldAddresses(group) : null),
    ...{ clock: systemClock, logger, fatal },
  });
  const api = source.cluster?.api ?? null;
  const servers = new FollowedDnsServers({
    ...{ from, api, clock: systemClock, logger, fatal },
    found: (found) => {
      resolvers.keepOnly(found);
      names.askOf(found);
    },
  });
  return {
    ...{ source: names.source, names, follower: names },
    waits: () => names.look(),
    unenforced: (policy) => {
      const message = policy && names.unresolved(policy);
      return message === null ? null : { reason: "NameNotResolved", message };
    },
    lines: () => [
      ...(servers.problem === null ? [] : [`names: ${servers.problem}`]),
      ...names.away.map((server) => `names: the DNS server ${server} does not answer`),
    ],
    start: () => {
      if (settings.serviceNetworks.length === 0)
        logger.warn("no network of Services is known, and names may lead to Services", {
          remedy: "--service-cidr",
        });
      names.start();
      servers.start();
    },
    stop: async () => {
      names.stop();
      await servers.stop();
      resolvers.keepOnly([]);
    },
  };
}
