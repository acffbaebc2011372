// doctor on an instance: what it says of itself is found, and an instance that does not answer is no instance that is well.

import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { checkInstance } from "../../src/doctor/instance-check.ts";
import { eventually } from "../support/eventually.ts";

let server: Server;
let url: URL;
let answers: Record<string, readonly [number, string]>;

const well = [
  'northgate_build_info{version="0.1.0"} 1',
  "northgate_contested_policies 0",
  'northgate_policies_not_in_force{reason="ZoneMismatch"} 0',
  'northgate_missing_kind_policies{crd="a"} 0',
  "",
].join("\n");

beforeEach(async () => {
  answers = { "/readyz": [200, "ok\nstandby: b writes\n"], "/metrics": [200, well] };
  server = createServer((request, response) => {
    const [status, text] = answers[request.url ?? ""] ?? [404, "known paths"];
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const found = async (largest?: number) =>
  (await checkInstance(url, "0.1.0", largest)).map(({ check, state, text }) => [
    check,
    state,
    text.replace(url.origin, "it"),
  ]);

test("one that is well", async () => {
  expect(await found()).toEqual([
    ["probes", "ok", "it is ready: standby: b writes"],
    [
      "metrics",
      "ok",
      expect.stringMatching(/^it counts no trouble in northgate_contested_policies, .* and \S+$/),
    ],
  ]);
});

test("one that is not ready says why", async () => {
  answers["/readyz"] = [503, "pods: forbidden\nthe first reconciliation is not done\n"];
  expect((await found())[0]).toEqual([
    ...["probes", "fail", "it is not ready: pods: forbidden; the first reconciliation is not done"],
  ]);
});

test.each([
  ["northgate_contested_policies 2", "it: another program writes the rows of 2 policies too"],
  [
    'northgate_policies_not_in_force{reason="PodsNotConnected"} 1',
    'it: 1 policy not in force as written (reason="PodsNotConnected")',
  ],
  [
    'northgate_missing_kind_policies{crd="a"} 3',
    'it: the rows of 3 policies are kept, and their kind is not served (crd="a")',
  ],
])("%s is trouble", async (line, text) => {
  const [name = ""] = line.split(/[{ ]/);
  const others = well.split("\n").filter((one) => !one.startsWith(name));
  answers["/metrics"] = [200, [line, ...others].join("\n")];
  expect((await found()).slice(1)).toEqual([["metrics", "fail", text]]);
});

test.each([
  [401, "a bearer token is needed", /answers 401: doctor shows no token/],
  [200, "up 1\n", /has no metrics of Northgate/],
  [500, well, /answers 500/],
  [200, "northgate_ready 1\n", /none of the metrics that count troubles/],
])("metrics that answer %d %p are unknown", async (status, text, said) => {
  answers["/metrics"] = [status, text];
  const [, metrics] = await found();
  expect(metrics?.slice(0, 2)).toEqual(["metrics", "unknown"]);
  expect(metrics?.[2]).toMatch(said);
});

test("an address without an instance fails", async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await found()).toEqual([["probes", "fail", expect.stringContaining("ECONNREFUSED")]]);
});

test("a server that is no Northgate's is unknown", async () => {
  answers["/readyz"] = [404, "nothing here"];
  expect((await found())[0]).toEqual(["probes", "unknown", "it/readyz answers 404"]);
});

test("an instance of another version is named beside ours", async () => {
  answers["/metrics"] = [200, well.replace("0.1.0", "0.0.9")];
  expect((await found())[1]?.[2]).toMatch(/; it is of version 0\.0\.9, and doctor of 0\.1\.0$/);
});

test("an answer without an end is read as far as the limit, and is unknown", async () => {
  let [sent, isLeft] = [0, false];
  const piece = Buffer.alloc(2 ** 18, "#");
  server.removeAllListeners("request");
  server.on("request", ({ url: path }, response: ServerResponse) => {
    if (path === "/readyz") {
      response.end("ok\n");
      return;
    }
    response.on("close", () => (isLeft = true));
    const more = (): void => {
      while (!isLeft) {
        sent += piece.length;
        if (!response.write(piece)) break;
      }
    };
    response.on("drain", more);
    more();
  });
  expect((await found(2 ** 20))[1]).toEqual([
    ...["metrics", "unknown", "it/metrics: the answer is longer than 1 MiB"],
  ]);
  await eventually(() => {
    expect(isLeft).toBe(true);
  });
  // What was on its way beside what was read.
  expect(sent).toBeLessThan(64 * 2 ** 20);
});
