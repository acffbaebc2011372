// `run --names dnstap` with a real CoreDNS and a real Northbound database: which addresses the set of a wildcard holds as clients are
// answered, and what a hostile zone, a flood, a restart and a takeover change.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import type { KubernetesObject } from "../../test/kube/api.ts";
import { openNorthbound } from "../../test/support/controller.ts";
import { eventually } from "../../test/support/eventually.ts";
import { describeWithOvn } from "../../test/support/ovn.ts";
import { patience } from "../../test/support/patience.ts";
import { clearRows } from "../../test/support/ports.ts";
import type { Running } from "../../test/support/program.ts";
import { startNorthgate } from "../../test/support/program.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { describeWithCoreDns } from "./describe.ts";
import { freePort } from "./coredns-process.ts";
import type { Northbound } from "./observed.ts";
import { acls, held, served, writtenRows } from "./observed.ts";
import { TappedCoreDns, zone } from "./tapped-coredns.ts";
import { allowing, facts } from "./world.ts";

jest.setTimeout(patience(120_000));

const records = [
  "www 30 IN A 198.51.100.1",
  "*.wild 30 IN A 198.51.100.2",
  "*.wild 30 IN AAAA 2001:db8::2",
  "chain.wild 30 IN CNAME inner",
  "inner 30 IN CNAME deep",
  "deep 30 IN A 198.51.100.3",
  "other 30 IN A 198.51.100.9",
  "short.wild 1 IN A 198.51.100.4",
  // A zone of an enemy: a metadata server, loopback, a Service, a node, a pod, and one that is allowed.
  ...["169.254.169.254", "127.0.0.1", "10.96.0.1", "192.0.2.1", "10.0.0.9", "198.51.100.13"].map(
    (ip) => `hostile.wild 30 IN A ${ip}`,
  ),
  "hostile.wild 30 IN AAAA ::ffff:10.96.0.1",
  "*.flood 30 IN A 198.51.100.5",
];
const wild = `*.wild.${zone}`;
const policy = (...domainNames: readonly string[]) => allowing(domainNames);

function tests(): void {
  let ovn: Ovn;
  let folder: string;
  let tapPort: number;
  let dns: TappedCoreDns;
  let session: Northbound;
  const running: Running[] = [];

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await ovn.nbctl("ls-add", "sw");
    tapPort = await freePort();
    dns = await TappedCoreDns.start(tapPort, records);
  });
  afterAll(async () => {
    await dns.stop();
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
    folder = mkdtempSync(join(tmpdir(), "ng-dnstap-"));
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.end("SIGKILL");
    await session.close();
    rmSync(folder, { recursive: true });
  });

  const write = (...items: readonly KubernetesObject[]) => {
    writeFileSync(join(folder, "w.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  };
  const start = (...others: readonly string[]): Running => {
    const one = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ...["--names=dnstap", `--names-servers=127.0.0.1:${dns.port}`, "--service-cidr=10.96.0.0/12"],
      ...[`--names-bind-address=127.0.0.1:${tapPort}`, ...others],
    ]);
    running.push(one);
    return one;
  };
  const metric = async (one: Running, name: string): Promise<number> => {
    const line = (await served(one, "metrics")).split("\n").find((text) => text.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  };
  /**
   * And its policies are compiled: what is answered before is not watched. CoreDNS connects again when it has a message that it cannot
   * send, or after a second without any.
   */
  const isTapped = (one: Running) =>
    eventually(async () => {
      expect(one.log().some(({ message }) => message === "initial synchronization is complete")).toBe(true);
      expect(await metric(one, "northgate_names_tap_connections")).toBe(1);
    }, 20_000);
  /** As a client asks; the answer may come from before the connection was there. */
  const asks = async (name: string) => {
    await dns.resolver().resolve4(`${name}.${zone}`);
  };
  const holds = (pattern: string, ...addresses: readonly string[]) =>
    eventually(() => {
      expect(held(session, pattern)).toEqual(addresses);
    }, 20_000);

  test("a wildcard has what clients were answered below it: of both families, through aliases, and nothing of other names", async () => {
    write(...facts, policy(wild, `www.${zone}`));
    const one = start();
    await isTapped(one);
    // An exact name is asked for, without a client.
    await holds(`www.${zone}`, "198.51.100.1");
    expect(held(session, wild)).toEqual([]);
    const before = acls(session);
    await asks("other");
    await asks("a.wild");
    await dns.resolver().resolve6(`B.c.wild.${zone}`);
    await asks("chain.wild");
    await holds(wild, "198.51.100.2", "198.51.100.3", "2001:db8::2");
    expect(acls(session)).toBe(before);
    // The text of the metrics is used again for a moment.
    await eventually(async () => {
      expect(await metric(one, "northgate_names_learned")).toBe(3);
    });
    expect(await metric(one, "northgate_names_unresolved")).toBe(0);
    expect(await served(one, "readyz?verbose")).not.toMatch(/names|NameSource/);
  });

  test("an address is removed after its TTL and 5 s", async () => {
    write(...facts, policy(wild));
    const one = start();
    await isTapped(one);
    await asks("short.wild");
    await holds(wild, "198.51.100.4");
    await sleep(3_000);
    expect(held(session, wild)).toEqual(["198.51.100.4"]);
    await holds(wild);
    expect(await metric(one, "northgate_names_learned")).toBe(0);
  });

  test("of a hostile zone only what may be allowed; the others are counted and logged", async () => {
    write(...facts, policy(wild));
    const one = start();
    await isTapped(one);
    // As a pod asks through autopath, whose answer comes through the cluster's own domain.
    await dns.resolver().resolve4(`hostile.wild.${zone}.shop.svc.cluster.local`);
    await holds(wild, "198.51.100.13");
    await asks("hostile.wild");
    await dns.resolver().resolve6(`hostile.wild.${zone}`);
    await eventually(async () => {
      for (const reason of ["link-local", "loopback", "service", "node", "pod", "embedded"])
        expect(await metric(one, `northgate_names_refused_total{reason="${reason}"}`)).toBeGreaterThan(0);
    });
    expect(held(session, wild)).toEqual(["198.51.100.13"]);
    const lines = one.log().filter(({ message }) => String(message).includes("never allowed by a name"));
    expect(new Set(lines.map(({ reason }) => reason)).size).toBe(lines.length);
  });

  test("a restart writes nothing and keeps the addresses of a wildcard", async () => {
    write(...facts, policy(wild));
    const one = start();
    await isTapped(one);
    await asks("a.wild");
    await asks("chain.wild");
    await holds(wild, "198.51.100.2", "198.51.100.3");
    expect(await one.end()).toBe(0);
    const other = start();
    await isTapped(other);
    await eventually(() => {
      expect(other.log().some(({ message }) => message === "initial synchronization is complete")).toBe(true);
    }, 30_000);
    expect(await writtenRows(other)).toEqual([]);
    expect(held(session, wild)).toEqual(["198.51.100.2", "198.51.100.3"]);
    // What it is answered with again is no change.
    await asks("a.wild");
    await eventually(async () => {
      expect(await metric(other, 'northgate_names_tap_messages_total{fate="answered"}')).toBeGreaterThan(0);
    });
    expect(await writtenRows(other)).toEqual([]);
  });

  test("a DNS server without a connection is named, and the policy is in force in part", async () => {
    write(...facts, policy(wild));
    const one = start();
    await isTapped(one);
    await dns.restart(() =>
      eventually(async () => {
        const ready = await served(one, "readyz?verbose");
        expect(ready).toContain("names: no dnstap from the DNS server 127.0.0.1");
        expect(ready).toContain(
          `enforced in part (NameSourceAway): ClusterNetworkPolicy/p: not all names of ${wild} are learned`,
        );
        expect(await metric(one, "northgate_names_taps_away")).toBe(1);
      }, 40_000),
    );
    await isTapped(one);
    await eventually(async () => {
      expect(await served(one, "readyz?verbose")).not.toContain("NameSourceAway");
    });
  });

  test("thousands of names below a wildcard: 1,024 are kept, and the other policies are untouched", async () => {
    write(...facts, policy(`*.flood.${zone}`, `www.${zone}`));
    const one = start();
    await isTapped(one);
    await holds(`www.${zone}`, "198.51.100.1");
    const resolvers = Array.from({ length: 8 }, () => dns.resolver());
    for (let round = 0; round < 250; round++)
      await Promise.all(resolvers.map((each) => each.resolve4(`${randomUUID()}.flood.${zone}`)));
    await eventually(async () => {
      expect(await metric(one, 'northgate_names_limited_total{limit="names of a pattern"}')).toBeGreaterThan(
        500,
      );
      expect(await metric(one, "northgate_names_learned")).toBe(1_024);
    }, 30_000);
    expect(held(session, `*.flood.${zone}`)).toEqual(["198.51.100.5"]);
    expect(held(session, `www.${zone}`)).toEqual(["198.51.100.1"]);
  });
}

await describeWithCoreDns(describeWithOvn, "run with dnstap", tests);
