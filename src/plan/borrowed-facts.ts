// Which objects of the old world replace those that the new world's manifests lack: manifests of policies are often
// without the pods that they are about. Kind by kind: where the manifests have no object of a kind, the old world's are lent.
// A Namespace is lent by its name, too, to manifests without Pods and to those whose objects live in it: without it nothing
// would select its pods. Policies are never lent.

import { excerptOf, listed } from "../lib/text/few.ts";
import type { KindText, ObjectKey, WorldObject } from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import {
  factKinds,
  isApiObject,
  isNamespace,
  isReferenced,
  keyOf,
  kindText,
  kindTextOf,
} from "../model/object.ts";

const shownNames = 3;
const podKind = kindText(factKinds.Pod);
const factsFirst: readonly KindText[] = [podKind, ...[factKinds.Namespace, factKinds.Node].map(kindText)];

export class BorrowedFacts {
  readonly #keys: ReadonlySet<ObjectKey>;
  readonly #kinds: ReadonlySet<KindText>;
  /** Names of namespaces in which objects of the manifests live. */
  readonly #homes: ReadonlySet<string>;

  readonly #makers: ReadonlySet<KindText>;

  /** `given`: the objects of the manifests, and their workloads. */
  constructor(given: readonly WorldObject[], workloads: readonly Workload[] = []) {
    this.#keys = new Set(given.map(keyOf));
    this.#kinds = new Set(Array.from(this.#keys, kindTextOf));
    this.#homes = new Set(
      [...given, ...workloads].flatMap((one) =>
        "namespace" in one && one.namespace !== null ? [one.namespace] : [],
      ),
    );
    this.#makers = new Set(workloads.map(kindText));
  }

  /** `object`: of the old world. */
  borrows(object: WorldObject): boolean {
    if (isApiObject(object) && !isReferenced(object)) return false;
    const key = keyOf(object);
    if (!this.#kinds.has(kindTextOf(key))) return true;
    if (!isNamespace(object) || this.#keys.has(key)) return false;
    return !this.#kinds.has(podKind) || this.#homes.has(object.name);
  }

  /** As `borrows`, of a workload. */
  borrowsWorkload(workload: Workload): boolean {
    return !this.#makers.has(kindText(workload));
  }

  /** What was lent, in sentences. */
  notesOn(borrowed: readonly WorldObject[], workloads: readonly Workload[] = []): readonly string[] {
    const texts = new Set([
      ...borrowed.map((object) => kindTextOf(keyOf(object))),
      ...workloads.map(kindText),
    ]);
    const whole = [...factsFirst, ...[...texts].sort().filter((text) => !factsFirst.includes(text))]
      .filter((text) => texts.has(text) && !this.#kinds.has(text))
      .map((text) => text.split(".", 1)[0] ?? text);
    const names = borrowed
      .filter((object) => this.#kinds.has(kindTextOf(keyOf(object))))
      .map(({ name }) => name)
      .sort();
    return [
      ...(whole.length > 0
        ? [`the manifests have no ${listed(whole, "or")}: those of the other world are used`]
        : []),
      ...(names.length > 0
        ? [
            `Namespaces of the other world are used, which the manifests lack: ${excerptOf(names.length, names.slice(0, shownNames))}`,
          ]
        : []),
    ];
  }
}
