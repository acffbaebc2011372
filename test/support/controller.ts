// The controller put together for tests: a source one sets by hand, the real dialects, groups, engine, loop and backend,
// and whatever session the test brings.

import { isDeepStrictEqual } from "node:util";
import { dialects, owners } from "../../src/dialects.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import { ownersOf } from "../../src/policy/contracts/dialect.ts";
import { Engine } from "../../src/controller/engine.ts";
import type { TierLayout } from "../../src/policy/contracts/tier-layout.ts";
import type { PolicyRecord } from "../../src/controller/engine.ts";
import type { LoopObserver } from "../../src/controller/loop.ts";
import { Loop } from "../../src/controller/loop.ts";
import { Groups } from "../../src/groups/index.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { Logger } from "../../src/lib/logger.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import type { ObjectKey, Source, SourceListener, WorldObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import type { Problem } from "../../src/model/problem.ts";
import type { Names, NamesOptions } from "../../src/names/index.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import type { Election } from "../../src/nbdb/write/election.ts";
import type {
  AddressSetForm,
  AnpPriorities,
  NamedPortForm,
  Sampling,
} from "../../src/nbdb/rows/render-mode.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Layout } from "../../src/nbdb/rows/layout.ts";
import type { Owners } from "../../src/nbdb/rows/owners.ts";
import { heldAddresses } from "../../src/nbdb/rows/sets/name-sets.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { Session, SessionOptions, SocketSession } from "../../src/ovsdb/index.ts";
import type { IpFamily } from "../../src/model/ip.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";

export { keyOf, owners };

/** A world one sets as a whole, or object by object. */
export class MemorySource implements Source {
  readonly #objects = new Map<ObjectKey, WorldObject>();
  #listener: SourceListener | null = null;
  #synced = false;
  /** Objects that exist and cannot be read. */
  readonly unreadable = new Set<ObjectKey>();

  constructor(objects: readonly WorldObject[] = []) {
    for (const object of objects) this.#objects.set(keyOf(object), object);
  }

  start(listener: SourceListener): void {
    this.#listener = listener;
    for (const key of this.#objects.keys()) listener.changed(key);
    this.#synced = true;
    listener.synced();
  }

  read(key: ObjectKey): WorldObject | null {
    return this.#objects.get(key) ?? null;
  }

  mayExist(key: ObjectKey): boolean {
    return this.unreadable.has(key);
  }

  async stop(): Promise<void> {}

  set(...objects: readonly WorldObject[]): void {
    for (const object of objects) {
      this.#objects.set(keyOf(object), object);
      this.#listener?.changed(keyOf(object));
    }
  }

  delete(key: ObjectKey): void {
    this.#objects.delete(key);
    this.#listener?.changed(key);
  }

  /** Makes the world exactly these objects; every key that is or was there is told once, `deliveries` times over. */
  become(objects: readonly WorldObject[], deliveries = 1): void {
    const next = new Map(objects.map((object) => [keyOf(object), object]));
    const keys = new Set([...this.#objects.keys(), ...next.keys()]);
    this.#objects.clear();
    for (const [key, object] of next) this.#objects.set(key, object);
    for (let delivery = 0; delivery < deliveries; delivery++) {
      for (const key of keys) this.#listener?.changed(key);
    }
  }

  /** Makes the world exactly these objects; those alone are told that differ, so that who depends on them must know it. */
  edit(objects: readonly WorldObject[]): void {
    const before = new Map(this.#objects);
    const keys = new Set(objects.map(keyOf));
    this.set(...objects.filter((object) => !isDeepStrictEqual(before.get(keyOf(object)), object)));
    for (const key of before.keys()) if (!keys.has(key)) this.delete(key);
  }

  objects(): readonly WorldObject[] {
    return [...this.#objects.values()];
  }

  get synced(): boolean {
    return this.#synced;
  }
}

export interface Rendering {
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  readonly zone: string | null;
  /** `list` unless told. */
  readonly namedPorts?: NamedPortForm;
  /** `documented` unless told. */
  readonly anpPriorities?: AnpPriorities;
  /** `rule` unless told. */
  readonly addressSets?: AddressSetForm;
  /** `threeTiers` unless told. */
  readonly tierLayout?: TierLayout;
  /** ACLs are not sampled unless told. */
  readonly sampling?: Sampling | null;
  readonly watches?: boolean;
  /** Those of the product unless given. */
  readonly installed?: readonly Dialect[];
}

/** Units that policies share, in tests that have some. */
export interface SharedUnits {
  readonly layout: Layout;
  readonly sharedOwners: Owners;
}

export interface ControllerOptions extends Rendering, Partial<SharedUnits> {
  /** The backend's own unless given. */
  readonly transactionWeight?: number | undefined;
  /** The backend's own unless given. */
  readonly orderedWeight?: number | undefined;
  /** One without a precondition unless given. */
  readonly writer?: NorthboundWriter;
  /** False unless given. */
  readonly allowEmpty?: boolean;
  /** None unless given: it always writes. */
  readonly election?: Pick<Election, "leads" | "onChange">;
  /** The backend's; the system's unless given. */
  readonly clock?: Clock;
  /** The backend's; silent unless given. */
  readonly logger?: Logger;
  /** Hears what the loop reports, too. */
  readonly observer?: (parts: {
    readonly engine: Engine;
    readonly backend: NorthboundBackend;
  }) => LoopObserver;
  /** Resolves the names of policies; none are resolved unless given, and facts of names are objects of the source. */
  readonly resolve?: ((parts: NamesParts) => Names) | undefined;
}

/** What resolved names need of a controller. */
export interface NamesParts extends Pick<NamesOptions, "held"> {
  readonly source: Source;
  readonly groups: Groups;
}

export interface TestController {
  readonly source: MemorySource;
  readonly groups: Groups;
  readonly backend: NorthboundBackend;
  readonly loop: Loop;
  readonly settled: Set<PolicyKey>;
  readonly refused: Map<PolicyKey, readonly Problem[]>;
  stop(): Promise<void>;
}

/** The options that are there: the product's types tell "not given" from "given as undefined". */
function given<T extends object>(options: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const there = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

function namesOf(resolve: ControllerOptions["resolve"], parts: NamesParts) {
  const names = resolve?.(parts) ?? null;
  return {
    source: names?.source ?? parts.source,
    follower: names,
    waits: () => names?.look() === true,
    stop: () => names?.stop(),
  };
}

export function startController(
  session: Session<Northbound>,
  source: MemorySource,
  {
    families,
    zone,
    namedPorts = "list",
    installed = dialects,
    transactionWeight,
    orderedWeight,
    writer,
    layout,
    sharedOwners,
    allowEmpty = false,
    election,
    anpPriorities,
    addressSets = "rule",
    tierLayout = "threeTiers",
    sampling = null,
    watches = false,
    clock = systemClock,
    logger = silentLogger,
    observer,
    resolve,
  }: ControllerOptions,
): TestController {
  const facts = new FactStore();
  const groups = new Groups(facts);
  const backend = new NorthboundBackend({
    session,
    writer: writer ?? new NorthboundWriter({ session }),
    membership: groups,
    owners: ownersOf(installed),
    logger,
    clock,
    mayExist: (key) => source.mayExist(key),
    zone,
    namedPorts,
    addressSets,
    tierLayout,
    sampling,
    watches,
    ...given({ election, anpPriorities, transactionWeight, orderedWeight, layout, sharedOwners }),
  });
  const settled = new Set<PolicyKey>();
  const refused = new Map<PolicyKey, readonly Problem[]>();
  const names = namesOf(resolve, {
    ...{ source, groups },
    held: {
      isReadable: () => backend.ready,
      of: (group) => {
        const rows = (name: string) => backend.actual.addressSet(name)?.row.addresses ?? [];
        return heldAddresses(group, ownersOf(installed).values(), rows);
      },
    },
  });
  const engine = new Engine({
    ...{ dialects: installed, facts, groups, backend, families, zone, follower: names.follower },
  });
  const also = observer?.({ engine, backend });
  const loop = new Loop({
    source: names.source,
    waits: names.waits,
    engine,
    groups,
    backend,
    observer: {
      settled: (record: PolicyRecord) => {
        settled.add(record.key);
        refused.delete(record.key);
        also?.settled(record);
      },
      refused: (record, problems) => {
        settled.delete(record.key);
        refused.set(record.key, problems);
        also?.refused(record, problems);
      },
      heldBack: (record, why) => also?.heldBack(record, why),
      removed: (key) => {
        settled.delete(key);
        refused.delete(key);
        also?.removed(key);
      },
      judged: () => undefined,
      sourceProblem: () => undefined,
      stoodDown: () => undefined,
      observed: () => undefined,
      passed: () => undefined,
    },
    logger: silentLogger,
    clock: systemClock,
    random: () => 0.5,
    allowEmpty,
    zoneFault: () => null,
    fatal: (error) => {
      queueMicrotask(() => {
        throw error;
      });
    },
  });
  loop.start();
  const stop = (): Promise<void> => {
    names.stop();
    return loop.stop();
  };
  return { source, groups, backend, loop, settled, refused, stop };
}

/** Whose rows a session sees: those of the real dialects unless told. */
interface OpenedFor {
  readonly sampling?: Sampling | null;
  readonly installed?: readonly Dialect[];
  readonly sharedOwners?: Owners;
}

/** The session's own options unless given. */
export function openNorthbound(
  remotes: string,
  options: Pick<SessionOptions<Northbound>, "retry" | "probeIntervalMs" | "answerTimeoutMs" | "leader"> = {},
  { installed = dialects, sharedOwners = new Map(), sampling = null }: OpenedFor = {},
): SocketSession<Northbound> {
  const monitors = northboundMonitors(new Map([...rowOwners(ownersOf(installed)), ...sharedOwners]), {
    samples: sampling !== null,
  });
  return openSession({ remotes, database: northbound, monitors, ...options });
}

/** A controller of these objects on a session of its own; `end` ends both. */
export async function openController(
  remotes: string,
  objects: readonly WorldObject[],
  options: Parameters<typeof startController>[2],
): Promise<{ readonly controller: TestController; readonly end: () => Promise<void> }> {
  const session = openNorthbound(remotes, {}, options);
  await session.opened();
  const controller = startController(session, new MemorySource(objects), options);
  const end = async (): Promise<void> => {
    await controller.stop();
    await session.close();
  };
  return { controller, end };
}

/** The rows that a fresh program would want for these objects, without any database. */
export function freshTables(
  objects: readonly WorldObject[],
  {
    families,
    zone,
    namedPorts = "list",
    anpPriorities = "documented",
    addressSets = "rule",
    tierLayout = "threeTiers",
    sampling = null,
    watches = false,
    installed = dialects,
    layout,
  }: Rendering & Partial<SharedUnits>,
): Tables {
  const mode = { zone, namedPorts, anpPriorities, addressSets, tierLayout, sampling, watches };
  return offlineModel({ objects, dialects: installed, families, mode, layout }).tables();
}
