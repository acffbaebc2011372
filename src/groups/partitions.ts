// Which values the namespaces of each retained partition have, updated with every change of a namespace. Shares the
// label index with the groups, so that a selector in use by both is evaluated once. Reports that the values of a
// partition may differ, never how. Invariant: a partition has a value if and only if a known namespace that its
// selector selects has it.

import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";
import type { Labels } from "../model/labels.ts";
import type { Partition, PartitionKey, PartitionValue } from "../policy/partition.ts";
import { byText, valueOf } from "../policy/partition.ts";
import type { FiledSelector, LabelIndex, LabelSet } from "./label-index.ts";

interface HeldPartition {
  readonly partition: Partition;
  readonly selector: FiledSelector;
  /** By their text. */
  readonly values: Map<string, CountedValue>;
  /** In order, as of the last question. */
  sorted: readonly PartitionValue[];
  /** What was added and removed since then. */
  readonly added: Set<PartitionValue>;
  readonly removed: Set<PartitionValue>;
  holders: number;
}

interface CountedValue {
  readonly value: PartitionValue;
  /** The number of namespaces that have it. */
  namespaces: number;
}

export class Partitions {
  readonly #labels: LabelIndex;
  readonly #namespaces = new Map<string, LabelSet>();
  readonly #held = new Map<PartitionKey, HeldPartition>();
  readonly #heldBy = new Multimap<FiledSelector, HeldPartition>();
  #changed = new Set<PartitionKey>();

  /** `labels`: the index of namespaces, with their names. */
  constructor(labels: LabelIndex) {
    this.#labels = labels;
  }

  /** Null labels make the namespace unknown: it has no value. */
  setNamespace(name: string, labels: Labels | null): void {
    const before = this.#namespaces.get(name);
    const after = labels === null ? undefined : this.#labels.holdLabels(labels, name);
    if (after === undefined) this.#namespaces.delete(name);
    else this.#namespaces.set(name, after);
    if (after !== before) {
      // Add before removal: a value that the namespace keeps is never absent in between.
      if (after !== undefined) for (const held of this.#partitionsWith(after)) this.#add(held, after);
      if (before !== undefined) for (const held of this.#partitionsWith(before)) this.#remove(held, before);
    }
    if (before !== undefined) this.#labels.releaseLabels(before);
  }

  /**
   * Keeps the values until it is released as often. The first values give no edge: a caller that retains a partition
   * again reads them.
   */
  retain(partition: Partition): void {
    const held = this.#held.get(partition.key) ?? this.#hold(partition);
    held.holders++;
  }

  /** The last release drops the partition with its pending edge; one release too many throws. */
  release({ key }: Partition): void {
    const held = this.#held.get(key);
    invariant(held !== undefined, "a partition was released that is not retained");
    if (--held.holders > 0) return;
    this.#held.delete(key);
    this.#heldBy.remove(held.selector, held);
    this.#labels.releaseSelector(held.selector);
    this.#changed.delete(key);
  }

  /** Each once, ordered by text. A value that stays is the same object as before. */
  values({ key }: Partition): readonly PartitionValue[] {
    const held = this.#held.get(key);
    invariant(held !== undefined, "asked for a partition that is not retained");
    const { added, removed } = held;
    if (added.size === 0 && removed.size === 0) return held.sorted;
    // To sort a list that is mostly in order is to look through it once.
    const kept = removed.size === 0 ? held.sorted : held.sorted.filter((value) => !removed.has(value));
    held.sorted = added.size === 0 ? kept : [...kept, ...added].sort(byText);
    added.clear();
    removed.clear();
    return held.sorted;
  }

  /** Partitions whose values may differ since the last drain. */
  drain(): ReadonlySet<PartitionKey> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  #hold(partition: Partition): HeldPartition {
    const selector = this.#labels.holdSelector(partition.namespaces);
    const held: HeldPartition = {
      ...{ partition, selector, values: new Map(), holders: 0 },
      ...{ sorted: [], added: new Set(), removed: new Set() },
    };
    this.#held.set(partition.key, held);
    this.#heldBy.add(selector, held);
    for (const set of selector.matched) this.#add(held, set);
    this.#changed.delete(partition.key);
    return held;
  }

  #add(held: HeldPartition, namespace: LabelSet): void {
    const { partition, values } = held;
    const value = valueOf(partition, namespace);
    if (value === null) return;
    const known = values.get(value.share);
    if (known !== undefined) {
      known.namespaces++;
      return;
    }
    values.set(value.share, { value, namespaces: 1 });
    held.added.add(value);
    this.#changed.add(partition.key);
  }

  #remove(held: HeldPartition, namespace: LabelSet): void {
    const { partition, values } = held;
    const value = valueOf(partition, namespace);
    if (value === null) return;
    const known = values.get(value.share);
    invariant(known !== undefined, "a namespace left a value that it did not have");
    if (--known.namespaces > 0) return;
    values.delete(value.share);
    if (!held.added.delete(known.value)) held.removed.add(known.value);
    this.#changed.add(partition.key);
  }

  /** The retained partitions that contain the namespace; iterates the shorter side. */
  *#partitionsWith({ matched }: LabelSet): Generator<HeldPartition, void> {
    const selectors = this.#heldBy.size < matched.size ? this.#heldBy.keys() : matched;
    for (const selector of selectors) if (matched.has(selector)) yield* this.#heldBy.get(selector);
  }
}
