// The values of partitions, by definition.

import type { NamespaceFact } from "../../src/model/facts.ts";
import { namespaceLabels } from "../../src/model/selectable.ts";
import { selects } from "../../src/model/selector.ts";
import type { PartitionValue, ValuesOf } from "../../src/policy/partition.ts";
import { byText, valueOf } from "../../src/policy/partition.ts";

export function valuesAmong(namespaces: Iterable<NamespaceFact>): ValuesOf {
  const all = [...namespaces];
  return (partition) => {
    const inside = all.filter((fact) => selects(partition.namespaces, namespaceLabels(fact)));
    const values = inside.map((fact) => valueOf(partition, fact)).filter((value) => value !== null);
    return [...new Map<string, PartitionValue>(values.map((value) => [value.share, value])).values()].sort(
      byText,
    );
  };
}
