// Classes that differ by nothing but a namespace, as one line: "all 1,000 pods of 10 namespaces → pods of the same namespace". What
// a class is, seen from one namespace, is compared as text: which of its pods are meant, which of all others, which addresses.

import { excerptOf } from "../../lib/text/few.ts";
import type { PodKey } from "../../model/facts.ts";
import type { Cidr } from "../../model/ip.ts";
import type { Role } from "../../verdicts/ends/kinds.ts";
import { everyAddress } from "../address-words.ts";
import type { Titles } from "../titles/ends-shown.ts";
import type { Part } from "../titles/pod-parts.ts";
import { namespaceOf } from "../titles/pod-parts.ts";
import type { Drawn, DrawnEnds } from "./drawn.ts";
import { gapsText } from "./drawn.ts";

export interface Line {
  /** At least one. */
  readonly drawn: readonly Drawn[];
  readonly from: string;
  readonly to: string;
}

/** What becomes a line, without its words: there are two ways to draw a change, and one of them is read. */
export interface Joined {
  readonly drawn: readonly Drawn[];
  /** Of each, the namespace by which it is like the others; "": it is alone. */
  readonly homes: readonly string[];
}

/** One side of a class. */
interface Side extends DrawnEnds {
  /** The only end of the other side, which is no end of this one. */
  readonly other: PodKey | null;
}

/** A side seen from a namespace. */
interface Shape {
  readonly inside: Part | null;
  readonly outside: readonly PodKey[];
  /** Every pod of every other namespace. */
  readonly isAllOutside: boolean;
  readonly text: string;
}

/** Of more classes none are joined: nobody reads them. */
const mostJoined = 5000;
const shown = 3;
const nobody: DrawnEnds = { pods: [], workloads: [], addresses: [] };
const roles: readonly Role[] = ["from", "to"];

export class Joining {
  readonly #titles: Titles;

  constructor(titles: Titles) {
    this.#titles = titles;
  }

  /** Of one change. In the order of the first class of each. */
  joined(drawn: readonly Drawn[]): readonly Joined[] {
    const isJoinable = drawn.length > 1 && drawn.length <= mostJoined;
    const keys = isJoinable ? drawn.map((one) => this.#keysOf(one)) : [];
    const counts = new Map<string, number>();
    for (const { key } of keys.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
    const groups = new Map<string, { readonly drawn: Drawn; readonly home: string }[]>();
    for (const [at, one] of drawn.entries()) {
      const common = (keys[at] ?? []).toSorted((a, b) => (counts.get(b.key) ?? 0) - (counts.get(a.key) ?? 0));
      const [best] = common.filter(({ key }) => (counts.get(key) ?? 0) > 1);
      const key = best?.key ?? `alone ${at}`;
      groups.set(key, [...(groups.get(key) ?? []), { drawn: one, home: best?.home ?? "" }]);
    }
    return Array.from(groups.values(), (group) => ({
      drawn: group.map((one) => one.drawn),
      homes: group.map(({ home }) => home),
    }));
  }

  line({ drawn, homes }: Joined): Line {
    const [first] = drawn;
    if (drawn.length === 1 && first !== undefined) return { drawn, ...this.#alone(first) };
    return { drawn, ...this.#together(drawn.map((one, at) => ({ drawn: one, home: homes[at] ?? "" }))) };
  }

  #alone(one: Drawn): Readonly<Record<Role, string>> {
    const text = (role: Role) => {
      const side = sideOf(one, role);
      return this.#titles.of(side, side.other);
    };
    return { from: text("from"), to: text("to") };
  }

  /** Equal for classes that differ by a namespace alone: one key for each namespace that a whole side is in. None with workloads. */
  #keysOf(one: Drawn): readonly { readonly key: string; readonly home: string }[] {
    if (one.from.workloads.length + one.to.workloads.length > 0) return [];
    const homes = new Set(
      roles.flatMap((role) => {
        const { pods, addresses } = sideOf(one, role);
        const [first] = pods;
        if (first === undefined || addresses.length > 0) return [];
        const home = namespaceOf(first);
        return pods.every((key) => namespaceOf(key) === home) ? [home] : [];
      }),
    );
    return [...homes].map((home) => {
      const shapes = roles.map((role) => this.#shapeOf(sideOf(one, role), home).text);
      return { home, key: JSON.stringify(shapes) };
    });
  }

  #shapeOf({ pods, addresses, other }: Side, home: string): Shape {
    const parts = this.#titles.parts.of(pods, other);
    const inside = parts.find(({ namespace }) => namespace === home) ?? null;
    const others = parts.filter((part) => part !== inside);
    const outside = others.flatMap((part) => part.pods);
    const isWhole = others.every(({ how }) => how === "whole");
    const left = this.#titles.parts.homes - others.length;
    const isAllOutside = outside.length > 0 && isWhole && left === 1;
    const texts = [
      inside === null ? "" : insideText(inside),
      isAllOutside ? "all" : JSON.stringify(outside),
      gapsText(addresses),
    ];
    return { inside, outside, isAllOutside, text: JSON.stringify(texts) };
  }

  #together(
    group: readonly { readonly drawn: Drawn; readonly home: string }[],
  ): Readonly<Record<Role, string>> {
    const shapes = (role: Role) => group.map(({ drawn, home }) => this.#shapeOf(sideOf(drawn, role), home));
    const [from, to] = [shapes("from"), shapes("to")];
    const [first] = group;
    const addresses = (role: Role) => (first === undefined ? [] : sideOf(first.drawn, role).addresses);
    const isNamed = from.some(({ inside, outside }) => inside !== null && outside.length === 0);
    return {
      from: this.#shapesText(from, addresses("from"), isNamed),
      to: this.#shapesText(to, addresses("to"), !isNamed),
    };
  }

  /** `names`: this side says which namespaces are meant. */
  #shapesText(shapes: readonly Shape[], addresses: readonly Cidr[], names: boolean): string {
    const [first] = shapes;
    if (first === undefined) return "";
    const { inside, outside, isAllOutside } = first;
    const pods = shapes.flatMap((shape) => shape.inside?.pods ?? []);
    const own = inside === null ? null : names ? this.#titles.of({ ...nobody, pods }) : sameText(inside);
    if (!isAllOutside) {
      const others =
        outside.length + addresses.length === 0
          ? null
          : this.#titles.of({ ...nobody, pods: outside, addresses });
      return [own, others].filter((text) => text !== null).join(" and ");
    }
    if (addresses.length === 0)
      return [own, "all pods of other namespaces"].filter((text) => text !== null).join(" and ");
    const every = this.#titles.of({ ...nobody, addresses });
    const isEvery = every === everyAddress;
    const outsiders = isEvery
      ? "everything outside their namespace"
      : `pods of other namespaces and ${every}`;
    if (isEvery && inside?.how === "but") return `everything but ${inside.text} of their namespace`;
    return [own, outsiders].filter((text) => text !== null).join(" and ");
  }
}

function sideOf(drawn: Drawn, role: Role): Side {
  const [own, far] = role === "from" ? [drawn.from, drawn.to] : [drawn.to, drawn.from];
  const [only] = far.pods;
  const isAlone = far.pods.length + far.workloads.length + far.addresses.length === 1;
  const other = isAlone && only !== undefined && !own.pods.includes(only) ? only : null;
  return { ...own, other };
}

function insideText({ how, text, pods }: Part): string {
  return how === "pods" ? `pods ${pods.map(nameOf).join(" ")}` : `${how} ${text}`;
}

function sameText({ how, text, pods }: Part): string {
  switch (how) {
    case "whole":
      return "pods of the same namespace";
    case "label":
      return `${text} of the same namespace`;
    case "but":
      return `pods of the same namespace but ${text}`;
    case "pods":
      return `${excerptOf(pods.length, pods.slice(0, shown).map(nameOf))} of the same namespace`;
  }
}

function nameOf(key: PodKey): string {
  return key.slice(key.indexOf("/") + 1);
}
