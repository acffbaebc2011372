// The Northbound database of a run: its session, the election of the one writer, the backend that plans and writes rows, and the
// proof that every chassis has them.

import type { IpAddress } from "../../model/ip.ts";
import type { ObjectKind } from "../../model/object.ts";
import type { SocketSession } from "../../ovsdb/index.ts";
import { openSession } from "../../ovsdb/index.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import type { Proof } from "../../policy/contracts/proof.ts";
import type { HostNameGroup } from "../../policy/ir.ts";
import type { RunningBackend, RunRequest, WriterRole } from "../../running-backend.ts";
import { northboundMonitors } from "../actual/actual.ts";
import { NorthboundBackend } from "../backend.ts";
import { renderModeOf } from "../rows/options.ts";
import { rowOwners } from "../rows/owners.ts";
import { heldAddresses } from "../rows/sets/name-sets.ts";
import type { RenderMode } from "../rows/render-mode.ts";
import type { Northbound } from "../rows/schema.ts";
import { northbound, persistentNorthbound, sampledNorthbound } from "../rows/schema.ts";
import { shownDifference } from "../write/candidacy.ts";
import { ChassisProof } from "../write/chassis-proof.ts";
import { Election, electionLock, identity } from "../write/election.ts";
import { Heartbeat } from "../write/heartbeat.ts";
import { NorthboundWriter } from "../write/northbound-writer.ts";
import { otherZoneError, profileOf, sharedDatabaseError } from "./claimant.ts";
import type { ForeignRows } from "./foreign-rows.ts";
import { countForeignRows } from "./foreign-rows.ts";
import { SamplingSweep } from "./sampling-sweep.ts";

const tables = [
  ["port groups", "Port_Group"],
  ["address sets", "Address_Set"],
  ["ACLs", "ACL"],
] as const;

export class NorthboundRun implements RunningBackend {
  readonly session: SocketSession<Northbound>;
  readonly writer: NorthboundWriter;
  readonly election: Election;
  readonly backend: NorthboundBackend;
  readonly role: WriterRole;
  readonly #heartbeat: Heartbeat;
  readonly #foreign: ForeignRows;
  readonly #proof: ChassisProof | null;
  readonly #owners: RunRequest["owners"];
  /** null: ACLs are sampled. */
  readonly #sweep: SamplingSweep | null;

  constructor(request: RunRequest) {
    const { settings, dialects, owners, membership, clock, logger, proofWithinMs } = request;
    const { remotes, tls, zone } = settings;
    const mode = renderModeOf(zone, settings.backendFlags, settings.tierLayout);
    const session = openSession({
      ...{ remotes, database: databaseOf(dialects, mode), lock: electionLock, logger },
      monitors: northboundMonitors(rowOwners(owners), {
        chassis: proofWithinMs !== null,
        samples: mode.sampling !== null,
      }),
      leader: "first",
      ...(tls === null ? {} : { tls }),
    });
    this.session = session;
    this.#owners = owners;
    this.#heartbeat = new Heartbeat({
      ...{ remotes, database: northbound.name, tls, clock, logger, fatal: request.fatal },
    });
    const election = electionOf(request, session, this.#heartbeat);
    this.election = election;
    this.role = roleOf(election);
    this.#foreign = countForeignRows(settings, logger);
    this.writer = new NorthboundWriter({
      ...{ session, precondition: () => election.precondition(), confirm: () => election.confirm() },
    });
    this.backend = new NorthboundBackend({
      ...{ session, writer: this.writer, election, logger, clock, membership, owners },
      ...mode,
      mayExist: request.mayExist,
      committed: request.committed,
    });
    const swept = { session, writer: this.writer, election, clock, logger };
    this.#sweep = mode.sampling === null ? new SamplingSweep(swept) : null;
    this.#proof =
      proofWithinMs === null
        ? null
        : new ChassisProof({ session, writer: this.writer, clock, patienceMs: proofWithinMs });
    this.onReady(() => {
      const refusal = sharedDatabaseError(settings, this.backend.actual.zone);
      if (refusal !== null) request.ended(refusal);
    });
  }

  get askProof(): ((proof: Proof) => void) | null {
    const proof = this.#proof;
    return proof === null ? null : proof.ask.bind(proof);
  }

  countPolicies(kind: ObjectKind): number | null {
    return this.session.ready ? this.backend.actual.countPolicies(kind) : null;
  }

  heldAddresses(group: HostNameGroup): readonly IpAddress[] {
    const { actual } = this.backend;
    return heldAddresses(
      group,
      this.#owners.values(),
      (name) => actual.addressSet(name)?.row.addresses ?? [],
    );
  }

  totals(): readonly { readonly name: string; readonly value: number }[] {
    return tables.map(([name, table]) => ({
      name,
      value: [...this.backend.actual.count(table).values()].reduce((sum, count) => sum + count, 0),
    }));
  }

  pending(): readonly string[] {
    const { ready, failure } = this.session;
    return ready ? [] : [`Northbound database: ${failure?.message ?? "not connected yet"}`];
  }

  notes(): readonly string[] {
    const { corrections, sampling } = this.backend;
    return [...this.#foreign.lines(), ...corrections.conflicts.lines(), ...(sampling?.lines() ?? [])];
  }

  onReady(callback: () => void): void {
    this.session.subscribe({ ready: callback });
  }

  reconsider(): void {
    this.election.reconsider();
  }

  release(): Promise<void> {
    return this.election.stop();
  }

  abandon(): Promise<void> {
    return this.session.close();
  }

  async halt(): Promise<void> {
    await this.#heartbeat.stop();
    this.#proof?.stop();
    this.#sweep?.stop();
  }

  async close(): Promise<void> {
    await this.#foreign.close();
    await this.session.close();
  }
}

/** The columns that a server must have: those of OVN 25.03 only where connections are to persist, those of samples where ACLs are. */
export function databaseOf(
  dialects: readonly Dialect[],
  { sampling = null }: Pick<RenderMode, "sampling">,
): typeof northbound {
  const database = sampling === null ? northbound : sampledNorthbound("--observe");
  const [flag] = dialects.flatMap(({ persistentBy }) => persistentBy ?? []);
  return flag === undefined ? database : persistentNorthbound(database, flag);
}

function electionOf(request: RunRequest, session: SocketSession<Northbound>, heartbeat: Heartbeat): Election {
  const { settings, clock, logger, takeOver, mayClaim, isBlind, ended } = request;
  return new Election({
    ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
    ...{ clock, logger, profile: profileOf(settings), takeOver, mayClaim, isBlind, heartbeat },
    otherZone: (claim) => {
      ended(otherZoneError(settings.zone, claim));
    },
  });
}

function roleOf(election: Election): WriterRole {
  return {
    get leads() {
      return election.leads;
    },
    get other() {
      return election.other;
    },
    otherFlags: () => election.differences.map(shownDifference),
  };
}
