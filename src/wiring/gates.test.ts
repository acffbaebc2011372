// Whose word a gate takes: tokens are reviewed by the API server that the objects come from, and by no other of the kubeconfig.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import type { ReaderConfig } from "../config/access.ts";
import { openGated } from "./gates.ts";

const left: (() => void)[] = [];
afterEach(() => {
  for (const end of left.splice(0)) end();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  left.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** An API server to which every token belongs to somebody, who may get everything or nothing. */
function reviewer(allowed: boolean): Promise<string> {
  return serve((_, response) => {
    const status = { authenticated: true, user: { username: "somebody" }, allowed };
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ status }));
  });
}

/** What a reader with a token gets. */
async function statusOf(auth: ReaderConfig): Promise<number> {
  const opened = await openGated({ tls: null, auth }, "/ui", async ({ gate }) => {
    const address = await serve((request, response) => {
      void Promise.resolve(gate?.(request) ?? null).then((refusal) => {
        response.writeHead(refusal?.status ?? 200).end();
      });
    });
    return { address, close: () => Promise.resolve() };
  });
  const { status } = await fetch(opened.address, { headers: { authorization: "Bearer t" } });
  await opened.close();
  return status;
}

test("a token is reviewed in the context that the objects come from", async () => {
  const folder = mkdtempSync(join(tmpdir(), "northgate-gates-"));
  left.push(() => {
    rmSync(folder, { recursive: true });
  });
  const kubeconfig = join(folder, "config");
  const [open, closed] = [await reviewer(true), await reviewer(false)];
  const named = [
    ["open", open],
    ["closed", closed],
  ] as const;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      "current-context": "open",
      clusters: named.map(([name, server]) => ({ name, cluster: { server } })),
      users: [{ name: "me", user: {} }],
      contexts: named.map(([name]) => ({ name, context: { cluster: name, user: "me" } })),
    }),
  );
  expect(await statusOf({ kind: "token", kubeconfig, context: null })).toBe(200);
  expect(await statusOf({ kind: "token", kubeconfig, context: "closed" })).toBe(403);
});
