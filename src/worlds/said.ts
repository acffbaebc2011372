// What a world says of itself in lines for standard error, beside what was found in its objects.

import type { Cni } from "../cni/answers.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { isNamespace, isPod, kindTextOf } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import type { PolicyKey } from "../policy/ir.ts";

const namedPolicies = 5;

interface StagedRecord {
  readonly isStaged: boolean;
  readonly object: PolicyObject;
}

/** Policies that are there and have no effect; none: no line. */
export function stagedLines(records: Iterable<StagedRecord>): readonly string[] {
  const names = [...records]
    .filter(({ isStaged }) => isStaged)
    .map(
      ({ object: { kind, namespace, name } }) =>
        `${kind} ${namespace === null ? "" : `${namespace}/`}${name}`,
    )
    .sort();
  if (names.length === 0) return [];
  const shown = excerptOf(names.length, names.slice(0, namedPolicies));
  return [`northgate: staged, and not in force: ${printable(shown, 400)}`];
}

/** About kinds that the plugin does not enforce everywhere. */
export function conditionLines(
  { conditions }: Cni,
  records: readonly { readonly key: PolicyKey }[],
): readonly string[] {
  return conditions.flatMap(({ kinds, text }) => {
    const found = kinds.filter((kind) => records.some(({ key }) => kindTextOf(key) === kind));
    return found.length === 0 ? [] : [`warning: ${found.join(", ")} are judged as in force: ${text}`];
  });
}

/** A cluster's pods always have a namespace; a manifest may omit it, and then no selector matches the pod. */
export function homeless(objects: readonly WorldObject[]): readonly string[] {
  const known = new Set(objects.filter(isNamespace).map((object) => object.name));
  const missing = new Set<string>();
  for (const object of objects) {
    if (isPod(object) && !known.has(object.namespace)) missing.add(object.namespace);
  }
  return [...missing].map(
    (name) => `warning: Namespace ${name} is not among the manifests: no policy selects its pods`,
  );
}
