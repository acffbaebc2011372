// CoreDNS as a process of its own, with zones of a test's: it answers from a file that the test may write again, through its cache, as
// the DNS of a cluster does.

import type { ChildProcess } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { freePort, killed, startCoreDns } from "./coredns-process.ts";

/** A record as a zone file has it: name, TTL in seconds, type, value. */
export type Record = readonly [name: string, ttl: number, type: "A" | "AAAA" | "CNAME", value: string];

/** Answers for one zone; every other name below `fail.test` is a SERVFAIL. */
export class CoreDns {
  readonly address: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  #serial = 2;

  private constructor(address: string, folder: string, child: ChildProcess) {
    this.address = address;
    this.#folder = folder;
    this.#child = child;
  }

  /** Ready when this resolves. `host`: where it is asked, as it stands before a port. */
  static async start(zone: string, records: readonly Record[], host = "127.0.0.1"): Promise<CoreDns> {
    const folder = mkdtempSync(join(tmpdir(), "ng-dns-"));
    const port = await freePort();
    writeFileSync(
      join(folder, "Corefile"),
      [
        `.:${port} {`,
        "  cache 30",
        "  template ANY ANY fail.test {\n    rcode SERVFAIL\n  }",
        `  file ${join(folder, "zone")} ${zone} {\n    reload 200ms\n  }`,
        "}\n",
      ].join("\n"),
    );
    writeZone(folder, zone, records, 1);
    const server = new CoreDns(`${host}:${port}`, folder, startCoreDns(folder));
    await eventually(async () => {
      await resolverOf(server.address).resolveSoa(zone);
    });
    return server;
  }

  /** The zone is so from now on, but for what is in the cache. */
  write(zone: string, records: readonly Record[]): void {
    writeZone(this.#folder, zone, records, this.#serial++);
  }

  async stop(): Promise<void> {
    await killed(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** As a client asks. */
export function resolverOf(address: string): Resolver {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([address]);
  return resolver;
}

function writeZone(folder: string, zone: string, records: readonly Record[], serial: number): void {
  const path = join(folder, "zone");
  const lines = records.map(([name, ttl, type, value]) => `${name} ${ttl} IN ${type} ${value}`);
  const soa = `@ 5 IN SOA ns.${zone}. admin.${zone}. ${serial} 60 60 60 1`;
  writeFileSync(`${path}.new`, [`$ORIGIN ${zone}.`, soa, `@ 5 IN NS ns.${zone}.`, ...lines, ""].join("\n"));
  renameSync(`${path}.new`, path);
}
