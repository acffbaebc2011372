// Objects that come as protobuf are those that come as JSON: what a parser makes of either is the same, by an encoder that knows
// nothing of the shapes. Numbers and names of fields are those of Kubernetes.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Encoder, kubernetesMessages } from "../../../../test/support/protobuf/encoder.ts";
import { readableKinds } from "../../../informers/objects/kinds.ts";
import { factKinds } from "../../../model/object.ts";
import type { ObjectKind } from "../../../model/object.ts";
import type { Shape } from "../../../protobuf/message.ts";
import { decode } from "../../../protobuf/message.ts";
import { shapeOf } from "./shape-of.ts";

/** With absent fields left out, and empty lists too, as a server writes JSON. */
function some<T extends object>(
  fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
  required: (keyof T & string)[] = [],
) {
  return fc.record(fields, { requiredKeys: required }) as fc.Arbitrary<Partial<T>>;
}
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 3 });

const word = fc.constantFrom("a", "web", "Upper", "x-1", "é", "n".repeat(70), "10.0.0.7", "__proto__", " ");
const ip = fc.constantFrom("10.1.2.3", "fd00::7", "::ffff:1.2.3.4", "nonsense");
const dictionary = (keys: readonly string[], values: fc.Arbitrary<string>) =>
  fc.dictionary(fc.oneof(word, fc.constantFrom(...keys)), values, { minKeys: 1, maxKeys: 4 });
const json = fc.constantFrom(
  '{"default":{"ip_addresses":["10.244.1.4/24","fd00::4/64"]}}',
  '["192.0.2.1/24"]',
  '{"default":"10.244.0.0/24"}',
  "{",
  "",
);
const annotations = dictionary(
  [
    "k8s.ovn.org/pod-networks",
    "k8s.ovn.org/host-cidrs",
    "k8s.ovn.org/node-subnets",
    "k8s.ovn.org/acl-logging",
  ],
  fc.oneof(word, json),
);
const owner = some(
  {
    apiVersion: fc.constantFrom("apps/v1", "v1"),
    kind: word,
    name: word,
    uid: word,
    controller: fc.boolean(),
  },
  ["apiVersion", "kind", "name", "uid"],
);
const metadata = some({
  ...{
    name: word,
    namespace: word,
    uid: word,
    resourceVersion: fc.constant("7"),
    generation: fc.integer({ min: 1 }),
  },
  ...{ labels: dictionary(["app"], fc.constantFrom("", "web", "a b", "x".repeat(64))), annotations },
  ownerReferences: many(owner),
  managedFields: many(some({ manager: word, fieldsV1: fc.constant({ "f:spec": {} }) })),
});
const port = some(
  {
    ...{ name: fc.constantFrom("http", "Bad", "9", "dns"), hostPort: fc.integer({ min: 1, max: 9 }) },
    ...{
      containerPort: fc.integer({ min: -1, max: 70_000 }),
      protocol: fc.constantFrom("TCP", "UDP", "SCTP", "ICMP"),
    },
  },
  ["containerPort"],
);
const container = some({
  ...{
    name: word,
    image: word,
    args: many(word),
    ports: many(port),
    restartPolicy: fc.constantFrom("Always", "Never"),
  },
  resources: fc.constant({ limits: { cpu: "1" } }),
  livenessProbe: fc.constant({ httpGet: { port: 80, path: "/" } }),
});
const volume = some({
  ...{ name: word, emptyDir: fc.constant({}) },
  projected: some({
    sources: many(
      some({
        serviceAccountToken: fc.constantFrom({}, { path: "token" }),
        configMap: fc.constant({ name: "ca" }),
      }),
    ),
  }),
});

const objects: Readonly<Record<string, fc.Arbitrary<Readonly<Record<string, unknown>>>>> = {
  Pod: some({
    metadata,
    spec: some({
      ...{ nodeName: word, serviceAccountName: word, hostNetwork: fc.constant(true), restartPolicy: word },
      ...{ containers: many(container), initContainers: many(container), volumes: many(volume) },
      automountServiceAccountToken: fc.boolean(),
    }),
    status: some({
      ...{ phase: fc.constantFrom("Running", "Failed", "Succeeded"), podIP: ip, podIPs: many(some({ ip })) },
      ...{ hostIP: ip, startTime: fc.constant("2026-11-02T08:14:07Z") },
    }),
  }),
  Namespace: some({ metadata, spec: fc.constant({ finalizers: ["kubernetes"] }) }),
  Node: some({
    metadata,
    spec: some({
      podCIDR: fc.constantFrom("10.0.0.0/24", "x"),
      podCIDRs: many(fc.constantFrom("10.1.0.0/24", "fd00::/64", "x")),
    }),
    status: some({
      capacity: fc.constant({ cpu: "4" }),
      addresses: many(
        fc.record({
          type: fc.constantFrom("InternalIP", "ExternalIP", "Hostname", ""),
          address: fc.oneof(ip, fc.constant("")),
        }),
      ),
    }),
  }),
};

/** Kinds as they are read: Pods as a controller reads them, and as commands do. */
const read = [false, true].flatMap((wholePods) =>
  readableKinds([], [], { wholePods }).map((kind) => ({ kind, name: kind.kind, wholePods })),
);

describe.each(read)("$name, whole pods: $wholePods", ({ kind, name, wholePods }) => {
  const shape = shapeOf(kind, wholePods)!;

  test.each([true, false])("is the same as by JSON, with zeros: %s", (zeros) => {
    const encoder = new Encoder(zeros);
    fc.assert(
      fc.property(objects[name]!, (object) => {
        const value = decode(encoder.message(name, object), shape.fields);
        expect(kind.parse(value)).toEqual(kind.parse(JSON.parse(JSON.stringify(object))));
      }),
      { numRuns: 400 },
    );
  });

  test("has the numbers and types of Kubernetes", () => {
    agrees(shape.fields, name);
  });
});

test("a kind of a CRD is asked for as JSON", () => {
  const kind: ObjectKind = { ...factKinds.Pod, group: "example.com" };
  expect(shapeOf(kind)).toBeNull();
});

const wireNames: Readonly<Record<string, readonly string[]>> = {
  text: ["string"],
  texts: ["string"],
  bool: ["bool"],
  int32: ["int32"],
  int64: ["int64"],
};

function agrees(shape: Shape, message: string): void {
  shape.forEach((field, number) => {
    if (field === undefined) return;
    const known = kubernetesMessages.get(message)!.find((one) => one.number === number);
    const context = `${message} ${number}`;
    expect([context, known?.name]).toEqual([context, field.type === "inline" ? known?.name : field.name]);
    expect(known!.repeated).toBe(field.type === "list" || field.type === "texts");
    if (field.type === "textMap") expect(known!.valueType).toBe("string");
    else if ("of" in field) agrees(field.of, known!.type);
    else expect(wireNames[field.type]).toContain(known!.type);
  });
}
