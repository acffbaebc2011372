// Namespaces that nobody has read, in random worlds of the IR (ir.ts), and by brute force every way in which they may be labelled.

import { unreadNamespace } from "../../src/unknowns/namespaces.ts";
import type { NamespaceFact } from "../../src/model/facts.ts";
import type { Connection, World } from "../../src/policy/evaluate.ts";
import type { IrWorld } from "./ir.ts";

/** The world with these namespaces unread: present, without any label. */
export function unreadIn({ world, pods }: IrWorld, names: readonly string[]): IrWorld {
  const unread = names.map((name): [string, NamespaceFact] => [name, unreadNamespace(name)]);
  return { pods, world: { ...world, namespaces: new Map([...world.namespaces, ...unread]) } };
}

const keys = ["tenant", "zone"];
/** Two values that policies name, two that they do not, and none. */
const values = ["x", "y", "z", "w", null];

/** Every completion of the labels of one namespace. */
function completed(fact: NamespaceFact): readonly NamespaceFact[] {
  return keys.reduce<readonly NamespaceFact[]>(
    (facts, key) =>
      facts.flatMap((one) =>
        values.map((value) =>
          value === null ? one : { ...one, labels: new Map([...one.labels, [key, value]]) },
        ),
      ),
    [fact],
  );
}

/** Of the namespaces of the two ends alone: no other makes a difference. */
export function everyLabelling({ from, to }: Connection, world: World): readonly World[] {
  const names = [...new Set([from.pod?.namespace, to.pod?.namespace])];
  return names.reduce<readonly World[]>(
    (worlds, name) => {
      const fact = name === undefined ? undefined : world.namespaces.get(name);
      if (fact?.isUnread !== true) return worlds;
      return worlds.flatMap((one) =>
        completed(fact).map((each) => ({
          ...one,
          namespaces: new Map([...one.namespaces, [each.name, each]]),
        })),
      );
    },
    [world],
  );
}
