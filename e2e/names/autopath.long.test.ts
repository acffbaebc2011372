// `autopath @kubernetes` of a real CoreDNS, which finds a client's Pod, and so its search list, by its address at a real API server. What it answers a
// Pod's question with a search suffix is learned for the name without it, and of a client that is no Pod nothing is.

import type { ChildProcess } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { searchSuffixes } from "../../src/names/dnstap/search-suffixes.ts";
import { createAll } from "../../test/kube/bulk.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { namespace, pod } from "../../test/kube/objects.ts";
import { describeWithControlPlane } from "../../test/kube/support.ts";
import type { Listening } from "../../test/support/dns/tap-sender.ts";
import { listening } from "../../test/support/dns/tap-sender.ts";
import { eventually } from "../../test/support/eventually.ts";
import { patience } from "../../test/support/patience.ts";
import { LineLogger } from "../../test/support/scripted-api.ts";
import { freePort, killed, startCoreDns } from "./coredns-process.ts";
import { describeWithCoreDns } from "./describe.ts";

jest.setTimeout(patience(120_000));

const zone = "example.test";
const suffix = "shop.svc.cluster.local";
/** Any of 127.0.0.0/8 is this machine's: a client asks from the address that the API server has for the Pod. */
const clients = { pod: "127.0.0.7", none: "127.0.0.8" };
const zoneFile = `$ORIGIN ${zone}.
@ 60 IN SOA ns.${zone}. admin.${zone}. 1 60 60 60 60
@ 60 IN NS ns.${zone}.
www 30 IN A 192.0.2.1
alias 30 IN CNAME www
a.wild 30 IN A 192.0.2.2
b.wild 30 IN A 192.0.2.3
`;

function tests(plane: () => ControlPlane): void {
  let one: Listening;
  let folder: string;
  let port: number;
  let dns: ChildProcess | null = null;

  const resolverFrom = (address: string): Resolver => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    resolver.setServers([`127.0.0.1:${port}`]);
    resolver.setLocalAddress(address);
    return resolver;
  };
  const asks = (name: string, from: string) => resolverFrom(from).resolve4(`${name}.${suffix}`);

  beforeAll(async () => {
    await createAll(plane().api, [namespace("shop")]);
    await createAll(plane().api, [pod("shop", "web", { node: "n1", ips: [clients.pod] })]);
    one = await listening({ clock: systemClock, logger: new LineLogger() });
    const patterns = [`www.${zone}`, `alias.${zone}`, `*.wild.${zone}`];
    one.names.watch({ patterns, search: searchSuffixes("cluster.local", []) });
    folder = mkdtempSync(join(tmpdir(), "ng-autopath-"));
    port = await freePort();
    const corefile = `.:${port} {
  dnstap tcp://127.0.0.1:${one.listener.port} full
  cache 30
  autopath @kubernetes
  kubernetes cluster.local {
    kubeconfig ${plane().kubeconfig}
    pods verified
  }
  file ${join(folder, "zone")} ${zone}
}
`;
    writeFileSync(join(folder, "Corefile"), corefile);
    writeFileSync(join(folder, "zone"), zoneFile);
    dns = startCoreDns(folder);
    // It knows the Pod: before that, nobody gets an answer to a name with a suffix.
    await eventually(async () => {
      expect(await asks(`www.${zone}`, clients.pod)).toEqual(["192.0.2.1"]);
    }, 60_000);
  });
  afterAll(async () => {
    if (dns !== null) await killed(dns);
    await one.listener.close();
    rmSync(folder, { recursive: true });
  });

  test("a Pod's question with a suffix is learned for the name without it, below a wildcard and through aliases too", async () => {
    for (const [name, address] of [
      ["www", "192.0.2.1"],
      ["alias", "192.0.2.1"],
      ["a.wild", "192.0.2.2"],
    ] as const) {
      expect(await asks(`${name}.${zone}`, clients.pod)).toEqual([address]);
      await eventually(() => {
        expect(one.learned.texts).toContain(`${name}.${zone} ${address}`);
      });
    }
    expect(one.learned.texts.filter((text) => text.includes("cluster.local"))).toEqual([]);
  });

  test("a client that is no Pod gets no such answer, and nothing is learned of its question", async () => {
    const before = one.learned.texts.length;
    // One that no Pod has asked for: what is in the cache is everybody's.
    await expect(asks(`b.wild.${zone}`, clients.none)).rejects.toThrow("ENOTFOUND");
    // Later answers are learned, so that this one would be by now.
    await resolverFrom(clients.none).resolve4(`a.wild.${zone}`);
    await eventually(() => {
      expect(one.learned.texts.length).toBeGreaterThan(before);
    });
    expect(one.learned.texts.slice(before)).toEqual([`a.wild.${zone} 192.0.2.2`]);
  });
}

await describeWithCoreDns(
  (name) => describeWithControlPlane(name, tests),
  "autopath @kubernetes",
  () => undefined,
);
