// How packets that ACLs judge are sampled (--observe): each ACL refers to a Sample row of its own, whose number the sampled packets
// bear, and all Samples refer to one collector. A number follows from the text of the rule, as OVN-Kubernetes' does, so that it
// changes where the rule says something else: connections that are open keep the number of the ACL that let them in.

import type { NamedPortRule } from "../unit.ts";
import type { DesiredAcl } from "../acl.ts";
import { fnv1a32 } from "../match/documented-hash.ts";

/** 65535 of 65535 are all packets. */
const mostProbable = 65_535;

/** `percent`: more than 0, at most 100. */
export function probabilityOf(percent: number): number {
  return Math.max(1, Math.floor((mostProbable * percent) / 100));
}

/** Sampling_App.type of what ACLs sample, with the number that OVN-Kubernetes gives it. */
export const samplingApps: ReadonlyMap<string, number> = new Map([
  ["acl-new", 2],
  ["acl-est", 3],
]);

/** Sample_Collector.id and Sampling_App.id go to this; the least is 1. */
export const mostIds = 255;

/** Sample.metadata goes to this; the least is 1. */
const mostNumbers = 0xffff_ffff;

/**
 * What an ACL's number follows from: the id, match and action, as OVN-Kubernetes has it. Of a match with the destinations of named
 * ports, the terms before them and the names: a pod that comes or goes makes no other rule of it.
 */
export function sampleText(
  { id, row }: DesiredAcl,
  named: Pick<NamedPortRule, "prefix" | "wanted" | "declared"> | null,
): string {
  const match =
    named === null ? row.match : `${named.prefix}${JSON.stringify([named.wanted, named.declared])}`;
  return `${id}${match}${row.action}`;
}

/** The Samples of a database: which numbers they have, and how many they are. */
export interface Numbered {
  has(number: number): boolean;
  readonly size: number;
}

/** Numbers of Samples: each is given once, though the database may show later that it is taken. */
export class SampleNumbers {
  readonly #taken: Numbered;
  readonly #given = new Set<number>();

  constructor(taken: Numbered) {
    this.#taken = taken;
  }

  /** The text's own number, or else the next that is free. */
  next(text: string): number {
    let number = ownNumber(text);
    while (this.#taken.has(number) || this.#given.has(number)) number = following(number);
    this.#given.add(number);
    return number;
  }

  /**
   * Whether a Sample of the text may have the number: its own, or one behind it that it got because those between were taken. They
   * may be free since: what is there stays. Among so many Samples no number is further away than their count.
   */
  suits(number: number, text: string): boolean {
    return distance(ownNumber(text), number) <= this.#taken.size;
  }

  /** What was given is written, or is not needed. */
  clear(): void {
    this.#given.clear();
  }
}

function ownNumber(text: string): number {
  return Math.max(1, fnv1a32(text));
}

function following(number: number): number {
  return number === mostNumbers ? 1 : number + 1;
}

/** How many steps of `following` lead from one to the other. */
function distance(from: number, to: number): number {
  return to >= from ? to - from : mostNumbers - from + to;
}
