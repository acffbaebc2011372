// EndpointSlices as the API has them: read through the parser of the kind, which keeps their fields at the top.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseReferencedObject } from "../../informers/objects/object.ts";
import { endpointSliceKind, readEndpointSlice } from "./endpoint-slice.ts";

const metadata = { name: "web-a", namespace: "shop", labels: { "kubernetes.io/service-name": "web" } };

function readOf(fields: object) {
  const { object } = parseReferencedObject(
    { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, ...fields },
    endpointSliceKind,
  );
  if (object === null) throw new Error("refused");
  return readEndpointSlice(object);
}

const nothing = { addresses: [], ports: [], isWhole: true };

test("endpoints that are ready and that are not, each address once", () => {
  const endpoints = [
    { addresses: ["10.0.0.1"], conditions: { ready: true } },
    { addresses: ["10.0.0.2", "10.0.0.1"], conditions: { ready: false } },
  ];
  expect(readOf({ addressType: "IPv4", endpoints })).toEqual({
    ...nothing,
    addresses: ["10.0.0.1", "10.0.0.2"],
  });
});

test("ports with a number; TCP unless told", () => {
  const ports = [
    ...[{ port: 80 }, { port: 81, protocol: null }, { port: 82, protocol: "TCP" }],
    ...[{ port: 53, protocol: "UDP" }, { port: 9, protocol: "SCTP" }, { name: "any" }, { port: null }],
  ];
  expect(readOf({ ports }).ports).toEqual([
    ...[80, 81, 82].map((port) => ({ protocol: "tcp", port })),
    { protocol: "udp", port: 53 },
    { protocol: "sctp", port: 9 },
  ]);
});

test("a field that is nested without end refuses the slice, as a spec does", () => {
  const endpoints: unknown = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`);
  const apiVersion = "discovery.k8s.io/v1";
  const read = parseReferencedObject(
    { apiVersion, kind: "EndpointSlice", metadata, endpoints },
    endpointSliceKind,
  );
  expect(read.object).toBeNull();
  expect(read.problems).toMatchObject([
    { field: "endpoints", message: expect.stringContaining("100 levels") },
  ]);
});

test.each([
  [{}],
  [{ spec: { endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] } }],
  [{ endpoints: null, ports: null }],
  [{ addressType: "FQDN", endpoints: [{ addresses: ["example.com"] }] }],
])("nothing: %j", (fields) => {
  expect(readOf(fields)).toEqual(nothing);
});

test.each([
  [{ endpoints: "10.0.0.1" }],
  [{ endpoints: ["10.0.0.1"] }],
  [{ endpoints: [null] }],
  [{ endpoints: [{ addresses: "10.0.0.1" }] }],
  [{ endpoints: [{ addresses: ["10.0.0"] }] }],
  [{ endpoints: [{ addresses: [10] }] }],
  [{ ports: { port: 80 } }],
  [{ ports: [80] }],
  [{ ports: [{ port: 0 }] }],
  [{ ports: [{ port: "80" }] }],
  [{ ports: [{ port: 80, protocol: "ICMP" }] }],
])("not whole: %j", (fields) => {
  expect(readOf(fields)).toEqual({ ...nothing, isWhole: false });
});

test("whatever a slice holds, it is read without throwing", () => {
  const endpoint = fc.oneof(fc.jsonValue(), fc.record({ addresses: fc.jsonValue() }));
  const port = fc.oneof(fc.jsonValue(), fc.record({ port: fc.jsonValue(), protocol: fc.jsonValue() }));
  const fields = fc.record({
    endpoints: fc.oneof(fc.jsonValue(), fc.array(endpoint)),
    ports: fc.oneof(fc.jsonValue(), fc.array(port)),
  });
  fc.assert(
    fc.property(fields, (drawn) => {
      const { addresses, ports, isWhole } = readOf(drawn);
      const isFaulty = [drawn.endpoints, drawn.ports].some((list) => list !== null && !Array.isArray(list));
      if (isFaulty) expect(isWhole).toBe(false);
      expect(new Set(addresses).size).toBe(addresses.length);
      for (const { port: number } of ports) expect(number).toBeGreaterThan(0);
    }),
  );
});
