// Objects that try a definition (CustomResourceDefinition) at every field: what is missing, null or of another type, each
// bound from both sides, each word of an enumeration and others, too few and too many, and, where a rule (CEL) spans
// fields, their combinations. Reads the schema alone, so that each of two definitions is tried with what either says.

/** The part of a structural schema that is looked at. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-validations"?: readonly unknown[];
}

type Value = unknown;
type Values = Readonly<Record<string, Value>>;

/** Good texts where a pattern or a rule decides, by the name of the field that has them or lists them. */
const goodTexts: Readonly<Record<string, (n: number) => string>> = {
  networks: (n) => `10.${n}.0.0/16`,
  domainNames: (n) => `d${n}.example.com`,
  type: (n) => `Type${n}`,
  reason: (n) => `Reason${n}`,
  lastTransitionTime: () => "2026-01-01T00:00:00Z",
};

/** Tried wherever a pattern, a format or a rule decides about a text. */
const strangeTexts = [
  ["", " ", "-", "_", ".", "*", "a", "A", "a b", "é", "a:b,c", "a:", "1a", "a/b", "a.b/C", "/a", "a/"],
  ["10.0.0.0/8", "10.1.2.3/8", "10.0.0.0/33", "10.0.0.0/08", "010.0.0.0/8", "10.0.0.0", "10.0.0/8", "/8"],
  ["::/0", "fd00::/8", "FD00::/8", "::/129", "::ffff:10.0.0.0/104", "fe80::1%eth0/64", "1::2::3/64"],
  ["example.com", "example.com.", "*.example.com", "*.com", "*", "a.*.com", "**.a.b", "-a.com", "a-.com"],
  ["_a.b", "a_b.c", "[a.b", "A.B", "a..b", ".a.b", "a.b..", "ä.de", "2026-01-01", "2026-01-01T00:00:00Z"],
].flat();

/** Objects of the definition, the same each time. */
export function* schemaCases(schema: Schema): Generator {
  yield sample(schema, "", 0);
  yield* variants(schema, "");
}

/** A value that should be taken; others for other numbers. */
export function sample(schema: Schema, name: string, n: number): Value {
  if (schema.enum !== undefined) return schema.enum[n % schema.enum.length];
  switch (schema.type) {
    case "integer":
      // The end of a range must be above its start.
      return (schema.minimum ?? 1) + n + (name === "end" ? 1 : 0);
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, (_, at) =>
        sample(schema.items ?? {}, name, n + at),
      );
    case "object":
      return sampleObject(schema, n);
    default:
      return goodTexts[name]?.(n) ?? `v${n}`;
  }
}

function sampleObject(schema: Schema, n: number): Values {
  const properties = schema.properties ?? {};
  const names = [...(schema.required ?? [])];
  const [first] = Object.keys(properties);
  if (names.length < (schema.minProperties ?? 0) && first !== undefined) names.push(first);
  return Object.fromEntries(names.map((name) => [name, sample(properties[name] ?? {}, name, n)]));
}

function* variants(schema: Schema, name: string): Generator {
  yield* [null, "text", 7, true, [], {}];
  switch (schema.type) {
    case "integer":
      yield* integers(schema);
      break;
    case "array":
      yield* lists(schema, name);
      break;
    case "object":
      yield* objects(schema);
      break;
    case "string":
      yield* texts(schema, name);
      break;
    default:
      break;
  }
}

function* integers({ minimum, maximum }: Schema): Generator {
  for (const bound of [minimum, maximum, -(2 ** 31), 2 ** 31 - 1, 0])
    if (bound !== undefined) yield* [bound - 1, bound, bound + 1];
  yield 1.5;
}

function* texts(schema: Schema, name: string): Generator {
  for (const word of schema.enum ?? []) yield* [word, word.toLowerCase(), `${word}s`];
  const bounds = [schema.minLength, schema.maxLength].filter((bound) => bound !== undefined);
  const lengths = bounds.flatMap((bound) => [bound - 1, bound, bound + 1]).filter((length) => length >= 0);
  for (const length of lengths) yield* ["a".repeat(length), longNetwork(length), "é".repeat(length)];
  const isFree = schema.pattern === undefined && schema.format === undefined && !hasRules(schema);
  yield* isFree ? ["", "a b", "é"] : strangeTexts;
  yield goodTexts[name]?.(1) ?? "v1";
}

/** A network of so many characters, if there is one. */
function longNetwork(length: number): string {
  return `${"0".repeat(Math.max(0, length - 5))}::/64`;
}

function* lists(schema: Schema, name: string): Generator {
  const { items = {}, minItems = 0, maxItems = 2 } = schema;
  for (const length of [minItems - 1, minItems, maxItems, maxItems + 1])
    if (length >= 0) yield Array.from({ length }, (_, n) => sample(items, name, n));
  yield [sample(items, name, 0), sample(items, name, 0)];
  for (const item of variants(items, name)) yield [item];
}

function* objects(schema: Schema): Generator {
  const { properties = {}, additionalProperties } = schema;
  const whole = sampleObject(schema, 0);
  if (additionalProperties !== undefined)
    for (const value of variants(additionalProperties, "")) yield { key: value };
  for (const name of Object.keys(whole)) yield without(whole, name);
  yield { ...whole, other: 1 };
  yield { other: 1 };
  const names = Object.keys(properties);
  for (const [at, name] of names.entries())
    for (const second of names.slice(at + 1)) {
      const both = [name, second].map((one) => [one, sample(properties[one] ?? {}, one, 0)]);
      yield Object.fromEntries(both);
    }
  for (const [name, property] of Object.entries(properties))
    for (const value of variants(property, name))
      yield schema.maxProperties === 1 ? { [name]: value } : { ...whole, [name]: value };
  if (hasRules(schema)) yield* combinations(schema);
}

/** What rules that span fields look at: bounds of numbers, and which alternative each entry of a list is. */
function* combinations(schema: Schema): Generator {
  let all: readonly Values[] = [sampleObject(schema, 0)];
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    all = all.flatMap((one) => [one, ...choices(property, name).map((value) => ({ ...one, [name]: value }))]);
  yield* all;
}

function choices(schema: Schema, name: string): readonly Value[] {
  if (schema.type === "integer")
    return [schema.minimum, 80, 81, schema.maximum].filter((value) => value !== undefined);
  const alternatives = Object.entries(schema.items?.properties ?? {});
  if (schema.type !== "array" || alternatives.length === 0) return [];
  const entries = alternatives.map(([field, one]) => ({ [field]: filled(one, field) }));
  return [
    ...entries.map((entry) => [entry]),
    ...entries.map((entry) => [sample(schema.items ?? {}, name, 0), entry]),
  ];
}

/** Lists are not empty. */
function filled(schema: Schema, name: string): Value {
  return schema.type === "array" ? [sample(schema.items ?? {}, name, 1)] : sample(schema, name, 0);
}

function hasRules(schema: Schema): boolean {
  return schema["x-kubernetes-validations"] !== undefined;
}

function without(values: Values, name: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}
