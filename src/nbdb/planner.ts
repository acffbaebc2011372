// Plans a unit's rows as operations for the committer. First it settles what is pending (it resolves named ports; a
// missing port group makes the whole unit pending), then it makes a pure plan. A unit that the database refused, or
// that needs a refused unit, is not written until it is tried again; it only makes room for others.

import type { AclSampling } from "./acl-sampling.ts";
import type { LostRows } from "./actual/lost-rows.ts";
import type { Problem } from "../model/problem.ts";
import type { Operation } from "../ovsdb/notation/operation.ts";
import type { Uuid } from "../ovsdb/notation/description.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { Actual } from "./actual/actual.ts";
import type { InFlight } from "./actual/in-flight.ts";
import type { SweepGuard } from "../contents/sweep-guard.ts";
import type { Corrections } from "../contents/corrections.ts";
import type { Content } from "./desired/content.ts";
import type { Desired } from "./desired/desired.ts";
import { resolveNamedPorts } from "./desired/resolve.ts";
import { SetContents } from "./desired/set-contents.ts";
import type { UnitState } from "./desired/unit-state.ts";
import type { Pending } from "./pending.ts";
import { UnitPending } from "./pending.ts";
import { clashOf } from "./plan/clash.ts";
import { followingOf } from "./plan/following.ts";
import { groupsConcerned } from "./plan/concerned.ts";
import type { Piece, PlanContext } from "./plan/context.ts";
import type { Exchange } from "./plan/moves.ts";
import { exchangeAmong, planMoves } from "./plan/moves.ts";
import { byPrecedence } from "./plan/precedence.ts";
import { planPrewrite, prewriteWeight } from "./plan/prewrite.ts";
import { planUnit } from "./plan/unit.ts";
import { isolatedBy } from "./rows/isolation.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit, samplingUnit, unitOfPolicy } from "./rows/unit.ts";
import type { UnitOrder } from "./unit-order.ts";
import type { Following, UnitSource } from "./write/unit-source.ts";

export interface PlannerParts {
  readonly membership: Membership;
  readonly desired: Desired;
  readonly actual: Actual;
  readonly content: Content;
  readonly pending: Pending;
  readonly sweepGuard: SweepGuard;
  readonly inFlight: InFlight;
  /** As in PlanContext. */
  readonly lost: Pick<LostRows, "get" | "has" | "size">;
  /** Units that the database refused and that have not been tried again. */
  readonly refused: ReadonlyMap<UnitKey, Problem>;
  readonly corrections: Corrections<UnitKey>;
  readonly order: Pick<UnitOrder, "leaving">;
  /** null: ACLs are not sampled. */
  readonly sampling: AclSampling | null;
}

const noPorts: ReadonlySet<Uuid> = new Set();

/** Where nothing is inserted. */
const noNames = (): never => {
  throw new Error("invariant broken: a row is inserted where none may be");
};

export class Planner implements UnitSource {
  readonly #parts: PlannerParts;
  #contents: SetContents;

  constructor(parts: PlannerParts) {
    this.#parts = parts;
    this.#contents = new SetContents(parts.membership, parts.content.namedPorts);
  }

  /** Members may change from now on. */
  membersMayChange(): void {
    const { membership, content } = this.#parts;
    this.#contents = new SetContents(membership, content.namedPorts);
  }

  plan(unit: UnitKey, newName: () => string): readonly Operation[] | null {
    const { desired, pending, sweepGuard } = this.#parts;
    const taken = pending.take(unit);
    if (taken === null) return null;
    if (unit === samplingUnit) return this.#planSampling(taken);
    if (this.#isRefused(unit)) {
      // Its existing rows make room for others all the same.
      const moves = this.moves([unit]);
      return moves.length === 0 ? null : moves;
    }
    const state = desired.get(unit);
    const policy = policyOfUnit(unit);
    if (state === null && policy !== null && sweepGuard.spares(policy)) return null;
    if (state !== null) this.#settle(state, taken);
    const operations = planUnit(unit, state, taken, {
      ...this.#context(newName),
      keptPorts: this.#keptPorts(unit),
    });
    this.#parts.corrections.planned(unit, taken, state !== null, operations.length);
    return operations;
  }

  clash(unit: UnitKey): Problem | null {
    if (unit === samplingUnit) return this.#parts.sampling?.fault ?? null;
    const { desired, pending, actual } = this.#parts;
    const wanting = pending.wantingNames(unit);
    const state = wanting !== null && !this.#isRefused(unit) ? desired.get(unit) : null;
    return wanting === null || state === null ? null : clashOf(state, wanting, actual);
  }

  #planSampling(taken: UnitPending): readonly Operation[] {
    const operations = this.#parts.sampling?.plan() ?? [];
    this.#parts.corrections.planned(samplingUnit, taken, true, operations.length);
    return operations;
  }

  exchange(units: readonly UnitKey[]): Exchange {
    return exchangeAmong(units, this.#parts);
  }

  moves(units: readonly UnitKey[]): readonly Operation[] {
    return units.flatMap((unit) => planMoves(unit, this.#parts));
  }

  prewriteWeight(unit: UnitKey): number {
    const state = this.#prewritten(unit);
    return state === null ? 0 : prewriteWeight(state, this.#context(noNames));
  }

  inOrder(units: readonly UnitKey[]): readonly (readonly UnitKey[])[] | null {
    const { actual, lost, desired } = this.#parts;
    return actual.hasRules || lost.size > 0 ? null : byPrecedence(units, (unit) => desired.get(unit));
  }

  /** Lazy: names are resolved when the caller asks for the first piece. */
  *prewrite(unit: UnitKey, newName: () => string): Generator<Piece> {
    const state = this.#prewritten(unit);
    if (state === null) return;
    this.#settle(state, new UnitPending(true));
    yield* planPrewrite(state, this.#context(newName));
  }

  hasLeaving(): boolean {
    return this.#parts.order.leaving().length > 0;
  }

  planFollowing(operations: readonly Operation[]): Following {
    const { order, actual } = this.#parts;
    const keys: UnitKey[] = [];
    const deletions: Operation[] = [];
    const { units, guards } = followingOf(order.leaving(), operations, actual);
    for (const unit of units) {
      const planned = this.plan(unit, noNames);
      if (planned === null) continue;
      keys.push(unit);
      deletions.push(...planned);
    }
    return { keys, operations: deletions, guards };
  }

  sending(operations: readonly Operation[]): void {
    this.#parts.inFlight.expect(operations);
  }

  notWritten(unit: UnitKey): void {
    const { pending, corrections } = this.#parts;
    pending.markWhole(unit, corrections.notWritten(unit));
  }

  /** The unit, when rows of it may be written ahead. */
  #prewritten(unit: UnitKey): UnitState | null {
    const { desired, pending } = this.#parts;
    return pending.isWhole(unit) && !this.#isRefused(unit) ? desired.get(unit) : null;
  }

  #settle(state: UnitState, pending: UnitPending): void {
    const { actual, content } = this.#parts;
    // An ACL lives and dies with the group that refers to it: without the group, all of them must be inserted again.
    if (!pending.whole && this.#lacksGroup(state, pending)) pending.markWhole();
    resolveNamedPorts(state, pending, {
      namedPorts: content.namedPorts,
      contents: this.#contents,
      present: (set) => actual.addressSet(set)?.row.addresses ?? [],
    });
  }

  #lacksGroup(state: UnitState, pending: UnitPending): boolean {
    for (const name of groupsConcerned(state, pending))
      if (!pending.portGroups.has(name) && this.#parts.actual.portGroup(name) === null) return true;
    return false;
  }

  #isRefused(unit: UnitKey): boolean {
    const { desired, refused } = this.#parts;
    if (refused.size === 0) return false;
    const policy = policyOfUnit(unit);
    const needed = policy === null ? [unit] : desired.users.unitsOf(policy);
    return needed.some((one) => refused.has(one));
  }

  /** Of an isolation: the pods of policies of the namespace that cannot be read stay in it. */
  #keptPorts(unit: UnitKey): ReadonlySet<Uuid> {
    const { sweepGuard, actual } = this.#parts;
    const namespace = isolatedBy(unit);
    if (namespace === null) return noPorts;
    const groups = sweepGuard
      .sparedIn(namespace)
      .flatMap((key) => actual.ownedBy("Port_Group", unitOfPolicy(key)));
    return new Set(groups.flatMap(({ row }) => [...row.ports]));
  }

  #context(newName: () => string): PlanContext {
    const { actual, content, lost, inFlight } = this.#parts;
    const samples = this.#parts.sampling?.context ?? null;
    const context = { actual, content, contents: this.#contents, lost, inFlight, newName, samples };
    return { ...context, keptPorts: noPorts };
  }
}
