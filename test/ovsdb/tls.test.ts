// Certificates that one side or the other must not take, on a real ovsdb-server: refused with one line that says which side
// and why, and tried again, so that mended files need no restart.

import { afterAll, afterEach, expect, test } from "@jest/globals";
import { openSession, type SocketSession, type TlsFiles } from "../../src/ovsdb/index.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { type Northbound, northbound } from "./northbound.ts";
import { freePorts, newFolder, Server, stopAll } from "./real-server.ts";
import { settled } from "./session.contract.ts";
import { makeCertificates, serverFiles } from "./tls-files.ts";

await describeWithOvn("a session over TLS", () => {
  const sessions: SocketSession<Northbound>[] = [];

  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    stopAll();
  });
  afterAll(stopAll);

  /** How the program uses it: the chain is checked, and no name. */
  function open(remote: string, files: TlsFiles) {
    const session = openSession<Northbound>({
      remotes: remote,
      database: northbound,
      monitors: { Address_Set: {} },
      retry: { initialMs: 5, maxMs: 40 },
      tls: { serverName: null, ...files },
    });
    sessions.push(session);
    return session;
  }
  async function serve(folder: string): Promise<string> {
    const [port = 0] = await freePorts(1);
    new Server({ folder, listen: [`pssl:${port}:127.0.0.1`], args: serverFiles(folder) });
    return `ssl:127.0.0.1:${port}`;
  }

  test.each([
    [
      "another authority's server",
      "the server's certificate is refused: self-signed certificate in certificate chain",
    ],
    ["an expired server", "the server's certificate is refused: certificate has expired"],
    ["a server of another name", "the server's certificate is refused: Hostname/IP does not match"],
    [
      "our own certificate, expired",
      "the server refused our certificate or TLS: ssl/tls alert certificate expired",
    ],
    [
      "our own certificate, of another authority",
      "the server refused our certificate or TLS: tlsv1 alert unknown ca",
    ],
    ["a key of another certificate", "TLS failed: key values mismatch"],
  ])("refuses %s in one line, and tries again", async (fault, line) => {
    const folder = newFolder();
    const stranger = makeCertificates(newFolder());
    const mine = makeCertificates(folder, {
      server: fault === "an expired server" ? "expired" : "now",
      client: fault === "our own certificate, expired" ? "expired" : "now",
    });
    const remote = await serve(folder);
    const faulty: Readonly<Record<string, TlsFiles>> = {
      "another authority's server": { ...mine, caFile: stranger.caFile },
      "a server of another name": { ...mine, serverName: "nb.example" },
      "our own certificate, of another authority": { ...stranger, caFile: mine.caFile },
      "a key of another certificate": { ...mine, keyFile: stranger.keyFile },
    };
    const session = open(remote, faulty[fault] ?? mine);
    await settled(() => session.failure !== null);
    expect(session.failure?.message).toContain(line);
    expect(session.failure?.message).not.toContain("\n");
    await settled(() => session.stats.attempts > 2);
    expect(session.ready).toBe(false);
  });

  test("reads files that were replaced, of the client alone, at the next attempt", async () => {
    const folder = newFolder();
    const files = makeCertificates(folder, { client: "expired", server: "now" });
    const remote = await serve(folder);
    const session = open(remote, files);
    await settled(() => session.failure !== null);
    // Another authority: the server reads its files anew too.
    makeCertificates(folder);
    await session.opened();
    expect(session.stats.fills).toBe(1);
  });
});
