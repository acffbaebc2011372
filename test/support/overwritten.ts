// Good JSON with a few places overwritten by odd values: inputs that get past the first check of a parser.

import fc from "fast-check";

type Path = readonly string[];

function paths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries<unknown>({ ...value }).flatMap(([key, child]) => paths(child, [...path, key])),
  ];
}

function overwritten(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, i) => (String(i) === key ? overwritten(item, rest, by) : item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries<unknown>({ ...value }).map(([name, child]): [string, unknown] => [
    name,
    name === key ? overwritten(child, rest, by) : child,
  ]);
  return Object.fromEntries(entries);
}

const odd = fc.constantFrom<unknown>(
  null,
  "",
  {},
  [],
  [[]],
  -1,
  0,
  1e20,
  "__proto__",
  { __proto__x: 1 },
  "a && b",
);
const value = fc.oneof(odd, fc.jsonValue({ maxDepth: 3 }));

/** `good` with none to four of its places overwritten. */
export function overwrittenPlaces(good: unknown): fc.Arbitrary<unknown> {
  return fc
    .array(fc.record({ path: fc.constantFrom(...paths(good)), by: value }), { maxLength: 4 })
    .map((edits) => edits.reduce((spec: unknown, { path, by }) => overwritten(spec, path, by), good));
}
