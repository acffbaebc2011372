// Objects of kinds that nobody here parses, over the fake API server: which groups and versions are asked, and what is said where
// a group, its kinds or their objects may not be read.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Fault } from "../../../../test/support/fake-api-server.ts";
import type { FakeApi } from "../../../../test/support/fake-api.ts";
import { openFakeApi } from "../../../../test/support/fake-api.ts";
import { listOthers } from "../../index.ts";

let server: FakeApi["server"];
let api: FakeApi["api"];
let close: FakeApi["close"];

beforeEach(async () => {
  ({ server, api, close } = await openFakeApi());
});
afterEach(() => close());

const cnps = "/apis/cilium.io/v2/ciliumnetworkpolicies";
const served: Readonly<Record<string, object>> = {
  "/apis": {
    groups: [
      {
        name: "cilium.io",
        versions: [{ version: "v2alpha1" }, { version: "v2" }],
        preferredVersion: { version: "v2" },
      },
      { name: "apps", versions: [{ version: "v1" }], preferredVersion: { version: "v1" } },
    ],
  },
  "/apis/cilium.io/v2": {
    resources: [
      { name: "ciliumnetworkpolicies", kind: "CiliumNetworkPolicy", namespaced: true },
      { name: "ciliumnetworkpolicies/status", kind: "CiliumNetworkPolicy", namespaced: true },
      { name: "ciliumnodes", kind: "CiliumNode" },
    ],
  },
  "/apis/cilium.io/v2alpha1": {
    resources: [{ name: "ciliumnetworkpolicies", kind: "CiliumNetworkPolicy", namespaced: true }],
  },
};

function serve(denied: readonly string[] = []): void {
  server.fault = ({ collection }): Fault | null => {
    if (denied.includes(collection)) return { status: 403 };
    const body = served[collection];
    return body === undefined ? null : { status: 200, body };
  };
}

const listed = () =>
  listOthers(api, {
    groups: new Set(["cilium.io"]),
    versionOf: ({ kind }, [first]) => (kind === "CiliumNetworkPolicy" ? (first ?? null) : null),
  });

test("the objects of the kinds that are wanted, in the preferred version, with their kind", async () => {
  serve();
  for (let n = 0; n < 700; n++) server.put(cnps, { metadata: { name: `c-${n}`, namespace: "shop" } });
  const { values, failures } = await listed();
  expect([values.length, failures]).toEqual([700, []]);
  expect(values[0]).toMatchObject({
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata: { name: "c-0" },
  });
  // No other group, and no other kind.
  expect(new Set(server.asked.map(({ collection }) => collection))).toEqual(
    new Set(["/apis", "/apis/cilium.io/v2", "/apis/cilium.io/v2alpha1", cnps]),
  );
});

test.each([
  ["/apis", /^the API groups of the cluster could not be listed: the API server forbids it/],
  ["/apis/cilium.io/v2", /^the kinds of cilium.io could not be listed: the API server forbids it/],
  [cnps, /^CiliumNetworkPolicy.cilium.io objects could not be listed: the API server forbids it/],
])("%s is forbidden", async (path, sentence) => {
  serve([path]);
  const { values, failures } = await listed();
  expect(values).toEqual([]);
  expect(failures).toEqual([expect.stringMatching(sentence)]);
});

test("a cluster without such groups has none", async () => {
  const { values, failures } = await listed();
  expect([values, failures]).toEqual([[], []]);
});
