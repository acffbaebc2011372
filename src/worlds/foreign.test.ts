// A cluster that is loaded once is asked for kinds of policy that nobody here reads: those that it has are there, and those that
// may not be asked for are said. Rows alone are asked for without them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import type { Fault } from "../../test/support/fake-api-server.ts";
import { FakeApiServer } from "../../test/support/fake-api-server.ts";
import { loadWorld } from "./world.ts";
import { byDefault } from "../../test/support/backend-config.ts";

const firewalls = "/apis/k8s.ovn.org/v1/egressfirewalls";
const served: Readonly<Record<string, object>> = {
  "/apis": { groups: [{ name: "k8s.ovn.org", versions: [{ version: "v1" }] }] },
  "/apis/k8s.ovn.org/v1": {
    resources: [
      { name: "egressfirewalls", kind: "EgressFirewall", namespaced: true },
      { name: "egressips", kind: "EgressIP" },
    ],
  },
};

let server: FakeApiServer;
let folder: string;
let kubeconfig: string;

beforeEach(async () => {
  server = new FakeApiServer();
  const url = await server.start();
  folder = mkdtempSync(join(tmpdir(), "ng-foreign-"));
  kubeconfig = join(folder, "config");
  const context = { cluster: "c", user: "u" };
  writeFileSync(
    kubeconfig,
    stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
      clusters: [{ name: "c", cluster: { server: url.href } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context }],
    }),
  );
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function serve(denied: string | null = null): void {
  server.fault = ({ collection }): Fault | null => {
    if (collection === denied) return { status: 403 };
    const body = served[collection];
    return body === undefined ? null : { status: 200, body };
  };
}

const load = (rowsOnly = false) =>
  loadWorld({ kind: "kube", kubeconfig, context: null }, { ...byDefault, families: null, rowsOnly });

test("objects of such kinds are found by discovery, and no others are listed", async () => {
  serve();
  server.put(firewalls, { metadata: { name: "default", namespace: "shop" }, spec: {} });
  const { notRead, lines } = await load();
  expect(notRead.sentences).toEqual([]);
  expect(notRead.policies).toMatchObject([
    { kind: "EgressFirewall", namespace: "shop", name: "default", effect: "deny", place: null },
  ]);
  expect(lines).toEqual([expect.stringContaining("warning: 1 object of EgressFirewall.k8s.ovn.org")]);
  expect(server.asked.map(({ collection }) => collection)).not.toContain("/apis/k8s.ovn.org/v1/egressips");
});

test.each(["/apis", firewalls])("what may not be asked is said: %s", async (path) => {
  serve(path);
  const { notRead, lines, refused } = await load();
  expect([notRead.policies, refused]).toEqual([[], false]);
  expect(notRead.sentences).toEqual([
    expect.stringContaining("could not be listed: the API server forbids it"),
  ]);
  expect(lines).toEqual([expect.stringMatching(/forbids it .*: the answer is as if there were none$/)]);
});

test("rows need none of it", async () => {
  serve();
  await load(true);
  expect(server.asked.map(({ collection }) => collection)).not.toContain("/apis");
});
