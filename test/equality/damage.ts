// Manifests that are not as their API wants them: in some of them a value of the specification is another, is absent, or has
// a field beside it that nobody knows. What a build refuses, and how it says so, is compared too.

import type { Draw } from "../fuzz/mutate.ts";
import type { Manifest } from "../support/manifests.ts";

const values: readonly unknown[] = [
  ...["", null, -1, 0, 70_000, "x", "10.0.0.1/8", "::/0", "Allow", "Deny", "In", true, [], {}, [{}]],
  ...[{ matchLabels: { app: "x" } }, { matchExpressions: [{ key: "app", operator: "Near" }] }, 1.5],
];

/** About every third policy has one mistake. */
export function damaged(manifests: readonly Manifest[], draw: Draw): readonly Manifest[] {
  return manifests.map((one) => {
    if (one["kind"] === "Pod" || one["kind"] === "Namespace" || one["kind"] === "Node") return one;
    if (draw(3) > 0) return one;
    const copy = structuredClone(one);
    const places = placesIn(copy["spec"]);
    const place = places[draw(Math.max(1, places.length))];
    if (place !== undefined) damage(place, draw);
    return copy;
  });
}

interface Place {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string;
}

function isParent(value: unknown): value is Record<string, unknown> | unknown[] {
  return typeof value === "object" && value !== null;
}

/** Every value inside, outer ones first. */
function placesIn(value: unknown): readonly Place[] {
  if (!isParent(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ parent: value, key }, ...placesIn(inner)]);
}

function damage({ parent, key }: Place, draw: Draw): void {
  const other = structuredClone(values[draw(values.length)]);
  if (Array.isArray(parent)) {
    if (draw(3) === 0) parent.splice(Number(key), 1);
    else parent[Number(key)] = other;
    return;
  }
  const how = draw(4);
  if (how === 0) Reflect.deleteProperty(parent, key);
  else if (how === 1) parent["ofTheFuture"] = other;
  else parent[key] = other;
}
