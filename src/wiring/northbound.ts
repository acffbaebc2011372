// The Northbound database of a run: its session, the election of the one writer, the backend that plans and writes rows, and the
// proof that every chassis has them.

import type { RunConfig, TlsConfig } from "../config/config.ts";
import type { Installed } from "../dialects.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { northboundMonitors } from "../nbdb/actual/actual.ts";
import { NorthboundBackend } from "../nbdb/backend.ts";
import { renderModeOf } from "../nbdb/rows/options.ts";
import { rowOwners } from "../nbdb/rows/owners.ts";
import type { Northbound } from "../nbdb/rows/schema.ts";
import { northbound, persistentNorthbound } from "../nbdb/rows/schema.ts";
import { ovn } from "../nbdb/tools/index.ts";
import { ChassisProof } from "../nbdb/write/chassis-proof.ts";
import type { Committed } from "../nbdb/write/committer.ts";
import { Election, electionLock, identity } from "../nbdb/write/election.ts";
import { Heartbeat } from "../nbdb/write/heartbeat.ts";
import { NorthboundWriter } from "../nbdb/write/northbound-writer.ts";
import type { SocketSession, TlsFiles } from "../ovsdb/index.ts";
import { openSession } from "../ovsdb/index.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import { otherZoneError, profileOf } from "./claimant.ts";
import type { ForeignRows } from "./foreign-rows.ts";
import { countForeignRows } from "./foreign-rows.ts";

/** The backend that this file opens, by its name in the list. */
export const ovnName = ovn.name;

interface NorthboundOptions {
  readonly config: RunConfig;
  readonly kinds: Pick<Installed, "dialects" | "owners">;
  readonly membership: Membership;
  readonly logger: Logger;
  /** Whether this instance may lead; as in ElectionOptions. */
  readonly mayClaim: (currentAfterMs: number) => boolean;
  /** Whether the source of objects is out of contact. */
  readonly isBlind: () => boolean;
  /** Whether a policy that was never seen may exist all the same, unread. */
  readonly mayExist: (key: PolicyKey) => boolean;
  readonly committed: Committed;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
  /** For settings that do not fit the database. */
  readonly ended: (error: unknown) => void;
}

export interface OpenedNorthbound {
  readonly session: SocketSession<Northbound>;
  readonly election: Election;
  readonly writer: NorthboundWriter;
  readonly backend: NorthboundBackend;
  readonly foreign: ForeignRows;
  /** null: nobody waits for chassis. */
  readonly proof: ChassisProof | null;
  /** Gives the claim back: another instance may begin, and nothing is written any more. */
  release(): Promise<void>;
  /** Once the claim is given back and the last commit has ended. */
  stopHeartbeat(): Promise<void>;
  close(): Promise<void>;
}

export function tlsFiles({ privateKey, certificate, caCertificate }: TlsConfig): TlsFiles {
  // OVN certificates name no host: as OVS's own programs do, only the chain is checked.
  return { keyFile: privateKey, certFile: certificate, caFile: caCertificate, serverName: null };
}

export function openNorthbound(options: NorthboundOptions): OpenedNorthbound {
  const { config, kinds, logger } = options;
  const tls = config.tls && tlsFiles(config.tls);
  const session = openSession({
    ...{ remotes: config.nb, database: databaseOf(kinds.dialects), lock: electionLock, logger },
    monitors: northboundMonitors(rowOwners(kinds.owners), config.wait === "hv"),
    leader: "first",
    ...(tls === null ? {} : { tls }),
  });
  const { election, stop } = openElection(session, tls, options);
  const foreign = countForeignRows(config, tls, logger);
  const writer = new NorthboundWriter({
    ...{ session, precondition: () => election.precondition(), confirm: () => election.confirm() },
  });
  const backend = new NorthboundBackend({
    ...{ session, writer, election, logger, clock: systemClock },
    ...{ membership: options.membership, owners: kinds.owners },
    ...renderModeOf(config.zone, config.backendFlags),
    mayExist: options.mayExist,
    committed: options.committed,
  });
  const proof =
    config.wait === "hv"
      ? new ChassisProof({ session, writer, clock: systemClock, patienceMs: config.waitTimeoutMs })
      : null;
  return {
    ...{ session, election, writer, backend, foreign, proof },
    release: () => election.stop(),
    stopHeartbeat: stop,
    close: async () => {
      await foreign.close();
      await session.close();
    },
  };
}

/** The columns that a server must have: those of OVN 25.03 only where connections are to persist. */
function databaseOf(dialects: readonly Dialect[]): typeof northbound {
  const [flag] = dialects.flatMap(({ persistentBy }) => persistentBy ?? []);
  return flag === undefined ? northbound : persistentNorthbound(flag);
}

function openElection(
  session: SocketSession<Northbound>,
  tls: TlsFiles | null,
  { config, logger, mayClaim, isBlind, fatal, ended }: NorthboundOptions,
) {
  const heartbeat = new Heartbeat({
    ...{ remotes: config.nb, database: northbound.name, tls },
    ...{ clock: systemClock, logger, fatal },
  });
  const election = new Election({
    ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
    ...{ clock: systemClock, logger, profile: profileOf(config), takeOver: config.takeOver },
    ...{ mayClaim, isBlind, heartbeat },
    otherZone: (claim) => {
      ended(otherZoneError(config.zone, claim));
    },
  });
  return { election, stop: () => heartbeat.stop() };
}
