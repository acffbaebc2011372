// One transaction on a connection of its own, on a real ovsdb-server: how it ends is all that is said of it.

import { createServer } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import type { Operation } from "../../src/ovsdb/index.ts";
import { parseRemotes } from "../../src/ovsdb/index.ts";
import { transactOnce } from "../../src/ovsdb/session/transact-once.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { freePorts, newFolder, Server, startCluster, stopAll } from "./real-server.ts";
import { makeCertificates, serverFiles } from "./tls-files.ts";

const insert: Operation = {
  op: "insert",
  table: "NB_Global",
  row: { external_ids: new Map([["writer", "a b"]]) },
};
/** For so long the server may wait until it is so: a member of a cluster learns later what the others agreed on. */
const held = (writer: string, timeoutMs = 0): Operation => ({
  op: "wait",
  table: "NB_Global",
  where: [{ column: "external_ids", function: "includes", value: new Map([["writer", writer]]) }],
  columns: ["external_ids"],
  until: "!=",
  rows: [],
  timeoutMs,
});

await describeWithOvn("one transaction", () => {
  afterEach(stopAll);

  const ask = (
    remote: string,
    operations: readonly Operation[],
    tls = null as Parameters<typeof transactOnce>[1]["tls"],
  ) => {
    const [first] = parseRemotes(remote);
    return transactOnce(first, { database: "OVN_Northbound", operations, tls, patienceMs: 5_000 });
  };

  test("is done, or refused by a condition, by the schema or by a constraint", async () => {
    const { remote } = new Server();
    expect(await ask(remote, [insert])).toBe("done");
    expect(await ask(remote, [held("a b")])).toBe("done");
    expect(await ask(remote, [held("c d"), insert])).toBe("refused");
    expect(await ask(remote, [{ ...insert, table: "Nothing" }])).toBe("refused");
    // There is one row at the most: the commit itself fails.
    expect(await ask(remote, [insert])).toBe("refused");
  });

  test("is done over TLS and through any member of a cluster", async () => {
    const folder = newFolder();
    const files = { ...makeCertificates(folder), serverName: null };
    const [port = 0] = await freePorts(1);
    new Server({ folder, listen: [`pssl:${port}:127.0.0.1`], args: serverFiles(folder) });
    expect(await ask(`ssl:127.0.0.1:${port}`, [insert], files)).toBe("done");
    const members = await startCluster();
    const [first, ...others] = members;
    expect(await ask(first?.remote ?? "", [insert])).toBe("done");
    for (const { remote } of others) expect(await ask(remote, [held("a b", 4_000)])).toBe("done");
  });

  test("reaches no server that is not there, that ends the connection, or that says what is no answer", async () => {
    expect(await ask("unix:/none/nb.sock", [insert])).toBe("unreachable");
    for (const said of ["", "hello", '{"id":1,"result":']) {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.resume().end(said);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("no port");
      expect(await ask(`tcp:127.0.0.1:${address.port}`, [insert])).toBe("unreachable");
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("answers an echo while it waits", async () => {
    let answered = "";
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write('{"id":"echo","method":"echo","params":[7]}');
      socket.on("data", (chunk) => {
        answered += chunk.toString();
        if (answered.includes('"id":"echo"'))
          socket.write(
            '{"id":1,"result":[{"uuid":["uuid","00000000-0000-4000-8000-000000000001"]}],"error":null}',
          );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    expect(await ask(`tcp:127.0.0.1:${address.port}`, [insert])).toBe("done");
    expect(answered).toContain('{"id":"echo","result":[7],"error":null}');
    await new Promise((resolve) => server.close(resolve));
  });
});
