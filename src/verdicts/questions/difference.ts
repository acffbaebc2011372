// What differs between the verdicts of two worlds for one pair of ends, of all traffic. Equal differences are one
// object with one number, whatever rules they come from: the classes that people read are counted by them.

import { Interner } from "../interner.ts";
import type { TableId, Tables } from "../tables.ts";
import type { Interval, Traffic, TrafficCuts } from "../traffic.ts";
import { noTraffic, textOf } from "../traffic.ts";
import type { ClassVerdict } from "../walk.ts";
import type { Both } from "../worlds.ts";

/** Traffic whose verdict turns from one into another. */
export interface Change {
  readonly id: number;
  readonly old: ClassVerdict;
  readonly new: ClassVerdict;
  /** In the order of the axes; at least one. */
  readonly traffic: readonly Interval[];
}

/** The tables of both sides of a connection. */
export interface SideTables {
  readonly egress: TableId;
  readonly ingress: TableId;
}

type Verdicts = Readonly<Record<ClassVerdict, Traffic>>;

/** More than there are tables. */
const stride = 2 ** 24;

export class Differences {
  readonly #tables: Tables;
  readonly #cuts: TrafficCuts;
  readonly #changeIds = new Interner();
  readonly #changes: Change[] = [];
  readonly #pairs = new Map<number, number>();
  readonly #known = new Map<number, readonly Change[]>();
  readonly #ofMany = new Map<string, readonly Change[]>();

  constructor(tables: Tables, cuts: TrafficCuts) {
    this.#tables = tables;
    this.#cuts = cuts;
  }

  /** None where no verdict differs. */
  between(old: SideTables, next: SideTables): readonly Change[] {
    if (old.egress === next.egress && old.ingress === next.ingress) return none;
    const key = this.#pair(old.egress, next.egress) * stride + this.#pair(old.ingress, next.ingress);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#compare({ old, new: next });
    this.#known.set(key, made);
    return made;
  }

  /** As `between`, of ends that may be in several places: what each verdict is in all of them, and unknown where they differ. */
  betweenAny(old: readonly SideTables[], next: readonly SideTables[]): readonly Change[] {
    const [one, other] = [old, next].map((list) => list.map(({ egress, ingress }) => `${egress} ${ingress}`));
    const key = `${one?.join() ?? ""}|${other?.join() ?? ""}`;
    const known = this.#ofMany.get(key);
    if (known !== undefined) return known;
    const made = this.#turned(this.#joined(old), this.#joined(next));
    this.#ofMany.set(key, made);
    return made;
  }

  #joined(places: readonly SideTables[]): Verdicts {
    const all = places.map((sides) => this.#verdicts(sides));
    const any = (verdict: ClassVerdict): Traffic =>
      all.reduce((sum, one) => sum | one[verdict] | one.unknown, noTraffic);
    const [allow, deny] = [any("allow"), any("deny")];
    return { allow: allow & ~deny, deny: deny & ~allow, unknown: allow & deny };
  }

  #pair(old: TableId, next: TableId): number {
    const key = old * stride + next;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const made = this.#pairs.size;
    this.#pairs.set(key, made);
    return made;
  }

  #compare(sides: Both<SideTables>): readonly Change[] {
    return this.#turned(this.#verdicts(sides.old), this.#verdicts(sides.new));
  }

  #turned(before: Verdicts, after: Verdicts): readonly Change[] {
    return turns.flatMap(([old, next]) => {
      const turned = before[old] & after[next];
      return turned === noTraffic ? [] : [this.#change(old, next, turned)];
    });
  }

  #change(old: ClassVerdict, next: ClassVerdict, turned: Traffic): Change {
    const id = this.#changeIds.of(`${old} ${next} ${textOf(turned)}`);
    return (this.#changes[id] ??= { id, old, new: next, traffic: this.#cuts.intervalsOf(turned) });
  }

  /** Both sides must allow. */
  #verdicts(sides: SideTables): Verdicts {
    const [egress, ingress] = [this.#tables.table(sides.egress), this.#tables.table(sides.ingress)];
    const deny = (egress.deny & ~egress.allow) | (ingress.deny & ~ingress.allow);
    const unknown = (egress.deny | ingress.deny) & ~deny;
    return { deny, unknown, allow: (egress.allow | ingress.allow) & ~(deny | unknown) };
  }
}

type Turn = readonly [old: ClassVerdict, next: ClassVerdict];

const turns: readonly Turn[] = [
  ["allow", "deny"],
  ["allow", "unknown"],
  ["deny", "allow"],
  ["deny", "unknown"],
  ["unknown", "allow"],
  ["unknown", "deny"],
];

const none: readonly Change[] = [];
