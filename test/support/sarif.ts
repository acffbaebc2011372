// A strict check of a SARIF 2.1.0 log, for the part of the format that lint writes: every property is one that the standard
// has (OASIS, sarif-schema-2.1.0.json, which refuses others), of its type, with the required ones. Gives what is wrong.

type Check = (value: unknown, path: string) => readonly string[];

const text: Check = (value, path) => (typeof value === "string" ? [] : [`${path}: no string`]);
const filled: Check = (value, path) =>
  typeof value === "string" && value !== "" ? [] : [`${path}: no text`];
const one =
  (...allowed: readonly string[]): Check =>
  (value, path) =>
    typeof value === "string" && allowed.includes(value) ? [] : [`${path}: none of ${allowed.join(", ")}`];
const atLeast =
  (least: number): Check =>
  (value, path) =>
    Number.isInteger(value) && Number(value) >= least ? [] : [`${path}: no integer from ${least}`];
const list =
  (of: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((element, at) => of(element, `${path}[${at}]`))
      : [`${path}: no list`];
/** With "!" the property is required. */
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: no object`];
    const entries = new Map<string, unknown>(Object.entries(value));
    const names = Object.keys(fields);
    return [
      ...[...entries.keys()]
        .filter((key) => !names.some((name) => name.replace("!", "") === key))
        .map((key) => `${path}.${key}: not of SARIF`),
      ...names.flatMap((name) => {
        const key = name.replace("!", "");
        if (!entries.has(key)) return name.endsWith("!") ? [`${path}.${key}: missing`] : [];
        return fields[name]?.(entries.get(key), `${path}.${key}`) ?? [];
      }),
    ];
  };
const uri: Check = (value, path) =>
  typeof value === "string" &&
  /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/.test(value) &&
  !/%(?![0-9A-Fa-f]{2})/.test(value)
    ? []
    : [`${path}: no URI reference`];

const message = object({ "text!": filled });
const level = one("none", "note", "warning", "error");
const location = object({
  id: atLeast(0),
  message,
  physicalLocation: object({
    "artifactLocation!": object({ "uri!": uri }),
    region: object({ startLine: atLeast(1) }),
  }),
  logicalLocations: list(object({ fullyQualifiedName: filled, kind: filled })),
});
const fingerprints: Check = (value, path) =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, print]) => filled(print, `${path}.${key}`))
    : [`${path}: no object`];

const log = object({
  $schema: uri,
  "version!": one("2.1.0"),
  "runs!": list(
    object({
      "tool!": object({
        "driver!": object({
          "name!": filled,
          semanticVersion: filled,
          rules: list(
            object({
              "id!": filled,
              name: filled,
              shortDescription: message,
              fullDescription: message,
              help: message,
              defaultConfiguration: object({ level }),
            }),
          ),
        }),
      }),
      columnKind: one("utf16CodeUnits", "unicodeCodePoints"),
      results: list(
        object({
          ruleId: filled,
          ruleIndex: atLeast(0),
          level,
          "message!": message,
          locations: list(location),
          relatedLocations: list(location),
          partialFingerprints: fingerprints,
          suppressions: list(
            object({
              "kind!": one("inSource", "external"),
              status: one("accepted", "underReview", "rejected"),
              justification: text,
            }),
          ),
        }),
      ),
    }),
  ),
});

export function sarifFaults(value: unknown): readonly string[] {
  return log(value, "$");
}
