// What an object of crd.projectcalico.org/v1 is in projectcalico.org/v3, and what nobody can say of it.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parsePolicyObject, parseReferencedObject } from "../informers/objects/object.ts";
import { parseJson } from "../model/reader.ts";
import { metadataAnnotation, storedObject, storedPolicy } from "./stored.ts";

const stored = (metadata: object, written?: unknown, spec: object = {}) => ({
  apiVersion: "crd.projectcalico.org/v1",
  metadata: {
    ...metadata,
    ...(written === undefined
      ? {}
      : {
          annotations: {
            ...("annotations" in metadata ? (metadata.annotations as object) : {}),
            [metadataAnnotation]: typeof written === "string" ? written : JSON.stringify(written),
          },
        }),
  },
  spec,
});
const metadataOf = (value: unknown) => (value as { metadata: Record<string, unknown> }).metadata;
const nameOf = (value: unknown) => metadataOf(value)["name"];

describe("the name", () => {
  // prettier-ignore
  const cases: [string, object, unknown, object, string][] = [
    ["is that of the annotation", { name: "default.a" }, { name: "a" }, {}, "a"],
    ["of the annotation, with its prefix", { name: "default.a" }, { name: "default.a" }, {}, "default.a"],
    ["of the annotation, in another tier", { name: "default.a" }, { name: "a" }, { tier: "ops" }, "a"],
    ["without one there, in the tier default", { name: "default.a" }, { labels: {} }, { tier: "default" }, "a"],
    ["in no tier", { name: "default.a.b" }, {}, {}, "a.b"],
    ["in a tier without a name", { name: "default.a" }, { name: "" }, { tier: "" }, "a"],
    ["in another tier", { name: "default.a" }, {}, { tier: "ops" }, "default.a"],
    ["of another tier's prefix", { name: "ops.a" }, {}, { tier: "ops" }, "ops.a"],
    ["once only", { name: "default.default.a" }, {}, {}, "default.a"],
    ["of nothing but the prefix", { name: "default." }, {}, {}, "default."],
    ["with an annotation of nothing", { name: "default.a" }, "null", {}, "a"],
  ];
  test.each(cases)("of a policy %s", (_, metadata, written, spec, expected) => {
    const { value, problems } = storedPolicy(stored(metadata, written, spec));
    expect([nameOf(value), problems]).toEqual([expected, []]);
  });

  test("of no policy is cut", () => {
    expect(nameOf(storedObject(stored({ name: "default.a" }, {})).value)).toBe("default.a");
    expect(nameOf(storedObject(stored({ name: "default.a" }, { name: "a" })).value)).toBe("a");
  });
});

test("without the annotation the object is as it stands", () => {
  const value = stored({ name: "default.a", labels: { a: "b" }, annotations: { x: "y" } });
  expect([storedPolicy(value), storedObject(value)]).toEqual([
    { value, problems: [] },
    { value, problems: [] },
  ]);
  expect(storedPolicy(value).value).toBe(value);
});

test("labels and annotations of the annotation count before the object's own; the annotation itself is gone", () => {
  const value = stored(
    {
      ...{ name: "s", uid: "u", generation: 7, namespace: "n" },
      labels: { own: "1", both: "1", "projectcalico.org/x": "1" },
      annotations: { own: "1", both: "1" },
    },
    {
      ...{ uid: "other", generation: 3, namespace: "other" },
      labels: { written: "2", both: "2" },
      annotations: { written: "2", both: "2" },
    },
    { nets: ["10.0.0.0/8"] },
  );
  const { value: own, problems } = storedObject(value);
  expect(problems).toEqual([]);
  expect(own).toEqual({
    apiVersion: "crd.projectcalico.org/v1",
    metadata: {
      ...{ name: "s", uid: "u", generation: 7, namespace: "n" },
      labels: { own: "1", both: "2", written: "2", "projectcalico.org/x": "1" },
      annotations: { own: "1", both: "2", written: "2" },
    },
    spec: { nets: ["10.0.0.0/8"] },
  });
});

test("keys that JavaScript has a meaning for are labels like any", () => {
  const { value } = storedObject(stored({ name: "s" }, '{"labels":{"__proto__":"a","constructor":"b"}}'));
  expect(Object.entries(metadataOf(value)["labels"] as object)).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
  ]);
});

describe("a mistake in the annotation", () => {
  const field = 'metadata.annotations["projectcalico.org/metadata"]';

  test.each([
    ["{", "is not a JSON object with an object's metadata"],
    ["", "is not a JSON object with an object's metadata"],
    ["[]", "is not a JSON object with an object's metadata"],
    ['"a"', "is not a JSON object with an object's metadata"],
    ['{"name":5}', "has a name that is not a string"],
  ])("%j is an error: the object may be any of its kind", (written, message) => {
    const { value, problems } = storedPolicy(stored({ name: "default.a" }, written));
    expect(problems).toEqual([{ code: "InvalidField", severity: "error", field, message }]);
    // As good a guess as there is.
    expect(nameOf(value)).toBe("a");
  });

  test.each([
    ['{"labels":{"a":5}}', "metadata.labels.a: must be a string, not 5"],
    ['{"labels":{"a":"b c"}}', 'metadata.labels.a: "b c" is not a valid label value'],
    ['{"labels":[]}', "metadata.labels: must be an object, not a list"],
    ['{"annotations":{"a":{}}}', "metadata.annotations.a: must be a string, not an object"],
    ['{"name":"A"}', 'metadata.name: "A" is not a valid name'],
  ])("%s is found by the reader of the object", (written, line) => {
    const kind = {
      ...{ group: "projectcalico.org", version: "v3", kind: "GlobalNetworkSet", namespaced: false },
      resource: "globalnetworksets",
      servedAs: [{ group: "crd.projectcalico.org", version: "v1", respelled: storedObject }],
    };
    const read = parseReferencedObject(stored({ name: "a" }, written), kind, kind.servedAs[0]);
    expect(read.object).toBeNull();
    expect(read.problems.map((one) => `${one.field}: ${one.message}`)).toEqual([line]);
  });

  test("stored labels and annotations that are none are refused as they are", () => {
    const { value } = storedObject({
      metadata: { name: "a", labels: "x", annotations: { [metadataAnnotation]: '{"labels":{"a":"b"}}' } },
    });
    expect(metadataOf(value)["labels"]).toBe("x");
    const noText = { metadata: { name: "a", annotations: { [metadataAnnotation]: 5 } } };
    expect(storedObject(noText)).toEqual({ value: noText, problems: [] });
  });
});

test("nothing makes it throw, or changes what it is given", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.oneof(fc.string(), fc.json()), (any, written) => {
      for (const value of [any, { metadata: any }, stored({ name: "a", labels: any }, written)]) {
        const before = structuredClone(value);
        for (const read of [storedPolicy, storedObject]) read(value);
        expect(value).toEqual(before);
      }
    }),
  );
});

test("an object that users wrote is read back, whatever its metadata", () => {
  const label = fc.stringMatching(/^[a-z]{1,8}$/);
  const labels = fc.dictionary(label, label);
  fc.assert(
    fc.property(label, labels, labels, labels, (name, own, wrote, noted) => {
      const kind = {
        ...{ group: "projectcalico.org", version: "v3", kind: "NetworkPolicy", namespaced: false },
        resource: "networkpolicies",
        servedAs: [{ group: "crd.projectcalico.org", version: "v1", respelled: storedPolicy }],
      };
      const value = stored(
        { name: `default.${name}`, labels: own },
        { name, labels: wrote, annotations: noted },
      );
      const { object, problems } = parsePolicyObject(value, kind, kind.servedAs[0]);
      expect(problems).toEqual([]);
      expect(object).toMatchObject({
        ...{ apiVersion: "projectcalico.org/v3", name, annotations: new Map(Object.entries(noted)) },
        readAs: { group: "crd.projectcalico.org", version: "v1", name: `default.${name}` },
      });
      expect(parseJson(JSON.stringify(metadataOf(storedPolicy(value).value)["labels"]))).toEqual({
        ...own,
        ...wrote,
      });
    }),
  );
});
