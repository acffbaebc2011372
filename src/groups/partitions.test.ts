// The values of partitions: after every change they equal those of a fresh instance, every value that changed has an
// edge, and the work is for changed namespaces alone.

import fc from "fast-check";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { NamespaceFact } from "../model/facts.ts";
import { namespaceLabels, namespacesNamed } from "../model/selectable.ts";
import { allOf, everything, negated, selects } from "../model/selector.ts";
import type { Partition } from "../policy/partition.ts";
import { partitionBy, valueOf } from "../policy/partition.ts";
import { namespace, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { FedGroups } from "../../test/support/fed-groups.ts";

const own = partitionBy(everything, []);
const byTenant = partitionBy(withLabels({ team: "a" }), ["tenant"]);

let groups: FedGroups;
beforeEach(() => {
  groups = new FedGroups();
  groups.setNamespace(namespace("red", { team: "a", tenant: "t1" }));
  groups.setNamespace(namespace("blue", { team: "a", tenant: "t1" }));
  groups.setNamespace(namespace("green", { team: "b", tenant: "t2" }));
});

const valuesOf = (partition: Partition, of: FedGroups = groups) =>
  [...of.partitions.values(partition)].map(({ share }) => share);

function costOf(change: () => void) {
  const before = { ...groups.stats };
  change();
  const { selectorEvaluations, candidateVisits } = groups.stats;
  return {
    evaluations: selectorEvaluations - before.selectorEvaluations,
    visits: candidateVisits - before.candidateVisits,
  };
}

describe("a partition", () => {
  test("has the values of the namespaces that are there when it is retained, without an edge", () => {
    groups.partitions.retain(own);
    groups.partitions.retain(byTenant);
    expect(valuesOf(own)).toEqual(["blue", "green", "red"]);
    expect(valuesOf(byTenant)).toEqual(['[["tenant","t1"]]']);
    expect(groups.partitions.drain().size).toBe(0);
  });

  test("follows namespaces that come, change and go; edges are where values do", () => {
    groups.partitions.retain(byTenant);
    const edges = (change: () => void) => {
      change();
      return groups.partitions.drain().size;
    };
    expect(
      edges(() => {
        groups.setNamespace(namespace("new", { team: "a", tenant: "t1" }));
      }),
    ).toBe(0);
    expect(
      edges(() => {
        groups.setNamespace(namespace("new", { team: "a", tenant: "t3" }));
      }),
    ).toBe(1);
    expect(valuesOf(byTenant)).toEqual(['[["tenant","t1"]]', '[["tenant","t3"]]']);
    expect(
      edges(() => {
        groups.setNamespace(namespace("new", { team: "a" }));
      }),
    ).toBe(1);
    expect(
      edges(() => {
        groups.setNamespace(namespace("green", { team: "a", tenant: "t2" }));
      }),
    ).toBe(1);
    expect(
      edges(() => {
        groups.deleteNamespace("red");
      }),
    ).toBe(0);
    expect(
      edges(() => {
        groups.deleteNamespace("blue");
      }),
    ).toBe(1);
    expect(valuesOf(byTenant)).toEqual(['[["tenant","t2"]]']);
  });

  test("keeps the value object of a value that stays", () => {
    groups.partitions.retain(byTenant);
    const [before] = groups.partitions.values(byTenant);
    groups.setNamespace(namespace("new", { team: "a", tenant: "t1" }));
    groups.deleteNamespace("red");
    expect([...groups.partitions.values(byTenant)][0]).toBe(before);
  });

  test("is dropped with the last release, its edge too; one release too many throws", () => {
    groups.partitions.retain(own);
    groups.partitions.retain(own);
    groups.partitions.release(own);
    groups.setNamespace(namespace("new"));
    groups.partitions.release(own);
    expect(groups.partitions.drain().size).toBe(0);
    expect(() => valuesOf(own)).toThrow();
    expect(() => {
      groups.partitions.release(own);
    }).toThrow();
  });
});

describe("costs", () => {
  test("a selector that a group has too is evaluated once", () => {
    groups.retain(podGroup(byTenant.namespaces));
    expect(
      costOf(() => {
        groups.partitions.retain(byTenant);
      }),
    ).toEqual({ evaluations: 0, visits: 0 });
  });

  test("a namespace is held against the selectors of its own labels; the values of others are not looked at", () => {
    for (let n = 0; n < 100; n++) groups.partitions.retain(partitionBy(withLabels({ team: `t${n}` }), []));
    groups.partitions.retain(own);
    const cost = costOf(() => {
      groups.setNamespace(namespace("new", { team: "t7" }));
    });
    expect(cost).toEqual({ evaluations: 2, visits: 0 });
    expect(groups.partitions.drain().size).toBe(2);
  });

  test("a pod with known labels is in its value's groups without an evaluation, and makes no edge of a partition", () => {
    groups.partitions.retain(own);
    for (const name of ["red", "blue", "green"]) groups.retain(podGroup(namespacesNamed([name])));
    groups.setPod(pod("red", "one"));
    groups.drain();
    const cost = costOf(() => {
      groups.setPod(pod("red", "two"));
      groups.deletePod("red/one");
    });
    expect(cost).toEqual({ evaluations: 0, visits: 0 });
    expect([...groups.drain().keys()]).toHaveLength(1);
    expect(groups.partitions.drain().size).toBe(0);
  });
});

const pool: readonly Partition[] = [
  own,
  byTenant,
  partitionBy(everything, ["tenant"]),
  partitionBy(negated(withLabels({ team: "b" })), ["team", "tenant"]),
  partitionBy(allOf([withLabels({ team: "a" }), namespacesNamed(["x", "y"])]), []),
];
const fact: fc.Arbitrary<NamespaceFact> = fc
  .tuple(
    fc.constantFrom("x", "y", "z"),
    fc.dictionary(fc.constantFrom("team", "tenant"), fc.constantFrom("a", "b")),
  )
  .map(([name, labels]) => namespace(name, labels));
const change = fc.oneof(
  { weight: 4, arbitrary: fact.map((one) => ({ do: "set" as const, fact: one })) },
  { weight: 2, arbitrary: fc.constantFrom("x", "y", "z").map((name) => ({ do: "delete" as const, name })) },
  { weight: 2, arbitrary: fc.nat(pool.length - 1).map((at) => ({ do: "retain" as const, at })) },
  { weight: 1, arbitrary: fc.nat(pool.length - 1).map((at) => ({ do: "release" as const, at })) },
  { weight: 1, arbitrary: fc.constant({ do: "drain" as const }) },
);

/** Keeps a copy of the values and re-reads only what edges name. */
class Run {
  readonly groups = new FedGroups();
  readonly facts = new Map<string, NamespaceFact>();
  readonly retained = new Map<Partition, number>();
  readonly copies = new Map<Partition, readonly string[]>();

  apply(one: typeof change extends fc.Arbitrary<infer Change> ? Change : never): void {
    switch (one.do) {
      case "set":
        this.facts.set(one.fact.name, one.fact);
        this.groups.setNamespace(one.fact);
        return;
      case "delete":
        this.facts.delete(one.name);
        this.groups.deleteNamespace(one.name);
        return;
      case "retain":
        this.#retain(pool[one.at] ?? own);
        return;
      case "release":
        this.#release(pool[one.at] ?? own);
        return;
      case "drain":
        this.absorb();
        return;
    }
  }

  absorb(): void {
    const edges = this.groups.partitions.drain();
    for (const partition of this.retained.keys())
      if (edges.has(partition.key)) this.copies.set(partition, valuesOf(partition, this.groups));
  }

  /** By definition. */
  truth(partition: Partition): readonly string[] {
    const inside = [...this.facts.values()].filter((one) =>
      selects(partition.namespaces, namespaceLabels(one)),
    );
    const values = inside.flatMap((one) => valueOf(partition, one)?.share ?? []);
    return [...new Set(values)].sort();
  }

  #retain(partition: Partition): void {
    this.groups.partitions.retain(partition);
    const count = this.retained.get(partition) ?? 0;
    this.retained.set(partition, count + 1);
    if (count === 0) this.copies.set(partition, valuesOf(partition, this.groups));
  }

  #release(partition: Partition): void {
    const count = this.retained.get(partition);
    if (count === undefined) return;
    this.groups.partitions.release(partition);
    if (count > 1) this.retained.set(partition, count - 1);
    else this.retained.delete(partition);
  }
}

test("any path of changes ends where the definition is, and its edges miss nothing", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40, size: "max" }), (changes) => {
      const run = new Run();
      for (const one of changes) run.apply(one);
      run.absorb();
      for (const partition of run.retained.keys()) {
        expect(valuesOf(partition, run.groups)).toEqual(run.truth(partition));
        expect(run.copies.get(partition)).toEqual(run.truth(partition));
      }
    }),
    { numRuns: 300 },
  );
});
