// Local subject pods that have no logical switch port, so that no ACL can act on them, and for how long. The CNI makes
// the port when a pod starts: only a pod that has waited longer than a start takes counts. Refuses to guess while the
// session is not ready: the port may be there by then.
// Invariant: a pod counts for exactly the units whose port groups select it now. What is done follows what changed.

import { LocalPods } from "../contents/local-pods.ts";
import type { Clock } from "../lib/clock.ts";
import { Multimap } from "../lib/multimap.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { podKey } from "../model/facts.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { Actual } from "./actual/actual.ts";
import type { Desired, DesiredChange } from "./desired/desired.ts";
import { portOfPod } from "./rows/names.ts";
import type { DesiredPortGroup, UnitKey } from "./rows/unit.ts";

export interface UnconnectedPodsParts {
  readonly membership: Membership;
  /** As in LocalPods. */
  readonly zone: string | null;
  readonly desired: Desired;
  readonly actual: Actual;
  readonly clock: Clock;
  readonly session: { readonly ready: boolean };
}

/** How long a pod may take to start, and its CNI to make a port. */
export const startsWithinMs = 60_000;

const none: ReadonlySet<UnitKey> = new Set();

export class UnconnectedPods {
  readonly #parts: UnconnectedPodsParts;
  readonly #localPods: LocalPods;
  /** Pods that may still be starting, with the time since when; the longest wait first. */
  readonly #waiting = new Map<PodKey, number>();
  /** Pods that have waited too long, with the units that select them; never without units. */
  readonly #overdue = new Map<PodKey, ReadonlySet<UnitKey>>();
  /** The same, by unit. */
  readonly #ofUnit = new Multimap<UnitKey, PodKey>();
  #isFilled = false;
  /** Whether every pod was looked at once. */
  #hasLooked = false;

  constructor(parts: UnconnectedPodsParts) {
    this.#parts = parts;
    this.#localPods = new LocalPods(parts.membership, parts.zone);
  }

  /** The cache holds the present database. Nobody knows since when a pod has waited: waits begin now. */
  filled(): void {
    this.#isFilled = true;
    for (const pod of [...this.#waiting.keys(), ...this.#overdue.keys()]) {
      this.#waiting.delete(pod);
      this.look(pod);
    }
  }

  /** At every pod, once: when the first rows are written, or at the first question. Before the first fill no port is known. */
  lookAtAll(): void {
    if (this.#hasLooked || !this.#isFilled) return;
    this.#hasLooked = true;
    this.#lookAtGroups([...this.#parts.desired.states()].flatMap(({ rows }) => rows.portGroups));
  }

  /** The pod, its groups or its port may have changed. */
  look(pod: PodKey): void {
    if (!this.#hasLooked) return;
    if (!this.#isWithoutPort(pod)) {
      this.#waiting.delete(pod);
      this.#file(pod, none);
    } else if (this.#overdue.has(pod)) this.#file(pod, this.#unitsOf(pod));
    else if (!this.#waiting.has(pod)) this.#waiting.set(pod, this.#parts.clock.now());
  }

  /** Other port groups are desired. */
  rendered({ rendered, gone }: DesiredChange): void {
    if (!this.#hasLooked) return;
    for (const { after, portGroups } of rendered) {
      const { removed, added } = portGroups;
      if (removed.length > 0 || added.length > 0)
        for (const pod of [...this.#ofUnit.get(after.unit)]) this.look(pod);
      // Of the groups that stay, every pod has been looked at.
      this.#lookAtGroups(added);
    }
    for (const unit of gone) for (const pod of [...this.#ofUnit.get(unit)]) this.look(pod);
  }

  /** The unit's subject pods that have waited too long. */
  overdue(unit: UnitKey): ReadonlySet<PodKey> {
    const { clock, session } = this.#parts;
    this.lookAtAll();
    for (const [pod, since] of this.#waiting) {
      if (!session.ready || clock.now() - since < startsWithinMs) break;
      this.#waiting.delete(pod);
      this.#file(pod, this.#unitsOf(pod));
    }
    return this.#ofUnit.get(unit);
  }

  /** At the pods of all subjects, each once: many groups may select a pod. */
  #lookAtGroups(groups: readonly DesiredPortGroup[]): void {
    const subjects = new Set(groups.flatMap((group) => group.subjects));
    const pods = new Set<PodFact>();
    for (const subject of subjects) for (const pod of this.#localPods.of([subject])) pods.add(pod);
    for (const { namespace, name } of pods) this.look(podKey(namespace, name));
  }

  /** Of a pod that is in no group, or on another node, no port is expected. */
  #isWithoutPort(pod: PodKey): boolean {
    const { actual, membership } = this.#parts;
    if (actual.port(portOfPod(pod)) !== null) return false;
    const [group] = membership.groupsOf(pod);
    return group !== undefined && this.#localPods.isOn(membership.pod(pod).node);
  }

  #unitsOf(pod: PodKey): ReadonlySet<UnitKey> {
    if (!this.#isWithoutPort(pod)) return none;
    const units = new Set<UnitKey>();
    for (const group of this.#parts.membership.groupsOf(pod))
      for (const { unit } of this.#parts.desired.portGroupsOf(group)) units.add(unit);
    return units;
  }

  #file(pod: PodKey, units: ReadonlySet<UnitKey>): void {
    if (units.size === 0 && !this.#overdue.has(pod)) return;
    const before = this.#overdue.get(pod) ?? none;
    for (const unit of before.difference(units)) this.#ofUnit.remove(unit, pod);
    for (const unit of units.difference(before)) this.#ofUnit.add(unit, pod);
    if (units.size === 0) this.#overdue.delete(pod);
    else this.#overdue.set(pod, units);
  }
}
