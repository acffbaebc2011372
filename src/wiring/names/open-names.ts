// The names of a run: resolved as the settings say, or not at all. What the other parts ask of them has an answer either way.

import type { RunConfig } from "../../config/config.ts";
import type { FactChange } from "../../model/fact-store.ts";
import type { Groups } from "../../groups/index.ts";
import { systemClock } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Source } from "../../model/object.ts";
import { Names, Resolvers, wildcardsOf } from "../../names/index.ts";
import type { Unenforced } from "../../policy/contracts/unenforced.ts";
import type { Policy } from "../../policy/ir.ts";
import type { RunningBackend } from "../../running-backend.ts";
import type { OpenedSource } from "../sources.ts";
import { FollowedDnsServers } from "./dns-servers.ts";
import { FollowedServiceNetworks } from "./service-networks.ts";
import { Taps } from "./taps.ts";

export interface OpenedNames {
  /** Objects, and the answers beside them. */
  readonly source: Source;
  /** null: no names are resolved. */
  readonly names: Names | null;
  /** null: DNS servers do not send what they answer. */
  readonly taps: Taps | null;
  readonly follower: { follow(change: FactChange): void } | null;
  /** As of LoopOptions. */
  readonly waits: () => boolean;
  /** Why the policy is in force in part. */
  unenforced(policy: Policy | null): Unenforced | null;
  /** What is amiss with the sources of answers, one line each. */
  lines(): readonly string[];
  /** Rejects with one line when the address of the listener or its certificate cannot be used. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a start waits until the networks of Services are known, and the DNS servers. */
const lookPatienceMs = 3_000;

interface NamesParts {
  readonly config: Pick<RunConfig, "names">;
  readonly source: Pick<OpenedSource, "source" | "cluster">;
  readonly groups: Pick<Groups, "namesAsked">;
  readonly running: Pick<RunningBackend, "heldAddresses" | "backend" | "role">;
  readonly logger: Logger;
  readonly fatal: (error: unknown) => void;
}

function withoutNames(source: Source): OpenedNames {
  return {
    ...{ source, names: null, taps: null, follower: null },
    waits: () => false,
    unenforced: () => null,
    lines: () => [],
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

export function openNames({ config, source, groups, running, logger, fatal }: NamesParts): OpenedNames {
  if (config.names === null) return withoutNames(source.source);
  const { servers: from, taps: tapsConfig, ...settings } = config.names;
  const { backend } = running;
  const resolvers = new Resolvers();
  const names = new Names({
    ...settings,
    source: source.source,
    ask: (server, name, family) => resolvers.ask(server, name, family),
    asked: () => groups.namesAsked,
    watched: (patterns) => taps?.watch(patterns),
    held: { isReadable: () => backend.ready, of: (group) => running.heldAddresses(group) },
    ...{ clock: systemClock, logger, fatal },
  });
  const tapsOptions = {
    ...{ clusterDomain: settings.clusterDomain, sink: names.answers },
    ...{ leads: () => running.role.leads, clock: systemClock, random: Math.random, logger, fatal },
  };
  const taps = tapsConfig === null ? null : new Taps({ ...tapsConfig, ...tapsOptions });
  const api = source.cluster?.api ?? null;
  const networks = new FollowedServiceNetworks({
    ...{ api, clock: systemClock, logger, fatal },
    found: (found) => {
      names.refuseServices(found);
    },
  });
  const servers = new FollowedDnsServers({
    ...{ from, api, clock: systemClock, logger, fatal },
    found: (found) => {
      resolvers.keepOnly(found);
      names.askOf(found);
      taps?.follow(found);
    },
  });
  return {
    ...{ source: names.source, names, taps, follower: names },
    waits: () => names.look(),
    unenforced: (policy) => unenforcedOf(policy, names, taps),
    lines: () => troubles(servers, names, taps),
    start: async () => {
      if (settings.serviceNetworks.length === 0) {
        networks.start();
        await endsWithin(systemClock, lookPatienceMs, networks.looked);
      }
      names.start();
      servers.start();
      if (taps === null) return;
      // A connection that is refused, because its server is not known yet, may not come again for long.
      await endsWithin(systemClock, lookPatienceMs, servers.looked);
      await taps.open();
    },
    stop: async () => {
      names.stop();
      await Promise.all([servers.stop(), networks.stop()]);
      await taps?.stop();
      resolvers.keepOnly([]);
    },
  };
}

function troubles(
  { problem }: FollowedDnsServers,
  { away }: Names,
  taps: Pick<Taps, "away"> | null,
): readonly string[] {
  return [
    ...(problem === null ? [] : [`names: ${problem}`]),
    ...away.map((server) => `names: the DNS server ${server} does not answer`),
    ...(taps?.away ?? []).map((server) => `names: no dnstap from the DNS server ${server}`),
  ];
}

function unenforcedOf(policy: Policy | null, names: Names, taps: Taps | null): Unenforced | null {
  if (policy === null) return null;
  const unresolved = names.unresolved(policy);
  if (unresolved !== null) return { reason: "NameNotResolved", message: unresolved };
  const missing = taps?.missing(wildcardsOf(policy)) ?? null;
  return missing === null ? null : { reason: "NameSourceAway", message: missing };
}
