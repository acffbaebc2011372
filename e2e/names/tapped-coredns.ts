// CoreDNS as a process of its own that sends dnstap, with zones of a test's, through its cache, as the DNS of a cluster does. And clients
// of it.

import type { ChildProcess } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { freePort, killed, startCoreDns } from "./coredns-process.ts";

export const zone = "example.test";
/** Of the cluster's own domain, which the server answers itself. */
export const localName = "kubernetes.default.svc.cluster.local";

/** Of a pod in the namespace `shop`, on a node whose own search list is the zone: the server follows it for its clients. */
const searchList = ["shop.svc.cluster.local", "svc.cluster.local", "cluster.local", zone];

export class TappedCoreDns {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#child = child;
  }

  /** `records`: lines of a zone file. Ready when this resolves. */
  static async start(tapPort: number, records: readonly string[]): Promise<TappedCoreDns> {
    const folder = mkdtempSync(join(tmpdir(), "ng-tapped-"));
    const port = await freePort();
    const corefile = [
      `.:${port} {`,
      `  dnstap tcp://127.0.0.1:${tapPort} full`,
      "  cache 30",
      `  autopath cluster.local ${join(folder, "resolv.conf")}`,
      `  file ${join(folder, "zone")} ${zone}`,
      `  file ${join(folder, "local")} cluster.local`,
      "}\n",
    ];
    writeFileSync(join(folder, "Corefile"), corefile.join("\n"));
    writeFileSync(join(folder, "resolv.conf"), `search ${searchList.join(" ")}\n`);
    writeFileSync(join(folder, "zone"), zoneFile(zone, records));
    writeFileSync(
      join(folder, "local"),
      zoneFile("cluster.local", [
        "kubernetes.default.svc 60 IN A 10.96.0.1",
        `www.${zone}.pods.shop.svc 60 IN A 192.0.2.66`,
      ]),
    );
    const server = new TappedCoreDns(port, folder, startCoreDns(folder));
    await server.#isReady();
    return server;
  }

  /** As a client asks: over UDP, and over TCP what was truncated. */
  resolver(): Resolver {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    resolver.setServers([`127.0.0.1:${this.port}`]);
    return resolver;
  }

  /** Like a container that is killed and started again. */
  async restart(between: () => Promise<void>): Promise<void> {
    await killed(this.#child);
    await between();
    this.#child = startCoreDns(this.#folder);
    await this.#isReady();
  }

  async stop(): Promise<void> {
    await killed(this.#child);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<void> {
    await eventually(async () => {
      await this.resolver().resolveSoa(zone);
    });
  }
}

function zoneFile(origin: string, records: readonly string[]): string {
  const soa = `@ 60 IN SOA ns.${origin}. admin.${origin}. 1 60 60 60 60`;
  return [`$ORIGIN ${origin}.`, soa, `@ 60 IN NS ns.${origin}.`, ...records, ""].join("\n");
}
