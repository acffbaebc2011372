// Names of domains with a real CoreDNS and a real Northbound database: which addresses the sets hold at which time, as two DNS servers
// answer, rotate, fail and end.

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
import type { Record } from "./coredns.ts";
import { CoreDns, resolverOf } from "./coredns.ts";
import { acls, held, served, writtenRows } from "./observed.ts";
import { allowing, facts } from "./world.ts";

jest.setTimeout(patience(120_000));

const zone = "example.test";
/** More than an answer over UDP holds. */
const many = Array.from({ length: 100 }, (_, at) => `203.0.113.${at}`);
const records: readonly Record[] = [
  ...many.map((address): Record => ["many", 5, "A", address]),
  ["www", 5, "A", "198.51.100.10"],
  ["www", 5, "A", "198.51.100.11"],
  ["www", 5, "AAAA", "2001:db8::10"],
  ["alias", 5, "CNAME", "inner"],
  ["inner", 5, "CNAME", "deep"],
  ["deep", 5, "A", "198.51.100.12"],
  ["dangling", 5, "CNAME", "nowhere"],
  ["bad", 5, "A", "169.254.169.254"],
  ["bad", 5, "A", "127.0.0.1"],
  ["bad", 5, "A", "10.96.0.1"],
  ["bad", 5, "A", "192.0.2.1"],
  ["bad", 5, "A", "10.0.0.9"],
  ["bad", 5, "A", "0.0.0.0"],
  ["bad", 5, "AAAA", "::ffff:10.96.0.1"],
  ["bad", 5, "AAAA", "fe80::1"],
  ["bad", 5, "A", "198.51.100.13"],
];
const policy = (...domainNames: readonly string[]) => allowing(...domainNames.map((name) => [name]));

function tests(): void {
  let ovn: Ovn;
  let folder: string;
  let dns: readonly CoreDns[] = [];
  let running: Running | null = null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await ovn.nbctl("ls-add", "sw");
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
    folder = mkdtempSync(join(tmpdir(), "ng-names-"));
    dns = [await CoreDns.start(zone, records), await CoreDns.start(zone, records, "[::1]")];
  });
  afterEach(async () => {
    await running?.end("SIGKILL");
    running = null;
    for (const one of dns) await one.stop();
    dns = [];
    rmSync(folder, { recursive: true });
  });

  const write = (...items: readonly KubernetesObject[]) => {
    writeFileSync(join(folder, "w.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  };
  const start = (): Running => {
    running = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ...["--names=poll", `--names-servers=${dns.map(({ address }) => address).join()}`],
      "--service-cidr=10.96.0.0/12",
    ]);
    return running;
  };
  const opened = async () => {
    const session = openNorthbound(ovn.nb);
    await session.opened();
    return session;
  };

  test("each name has what both servers answer, through CNAMEs and of both families, and nothing that is never taken", async () => {
    write(
      ...facts,
      policy(
        "www.example.test",
        "many.example.test",
        "alias.example.test",
        "bad.example.test",
        "none.example.test",
        "dangling.example.test",
        "a.fail.test",
      ),
    );
    const one = start();
    const session = await opened();
    await eventually(() => {
      expect(held(session, "www.example.test")).toEqual(["198.51.100.10", "198.51.100.11", "2001:db8::10"]);
      expect(held(session, "alias.example.test")).toEqual(["198.51.100.12"]);
      expect(held(session, "bad.example.test")).toEqual(["198.51.100.13"]);
      expect(held(session, "many.example.test")).toEqual(many.toSorted());
    }, 30_000);
    for (const name of ["none.example.test", "dangling.example.test", "a.fail.test"])
      expect(held(session, name)).toEqual([]);
    await eventually(async () => {
      const ready = await served(one, "readyz?verbose");
      expect(ready).toContain("enforced in part (NameNotResolved)");
      for (const part of ["none.example.test (no such name)", "a.fail.test (DNS does not answer)"])
        expect(ready).toContain(part);
    });
    const metrics = await served(one, "metrics");
    for (const reason of ["link-local", "loopback", "service", "node", "pod", "unspecified", "embedded"])
      expect(metrics).toMatch(new RegExp(`northgate_names_refused_total\\{reason="${reason}"\\} [1-9]`));
    expect(metrics).toContain("northgate_names 7\n");
    expect(metrics).toContain("northgate_names_unresolved 3\n");
    await session.close();
  });

  test("a rotating name: clients of either server seldom get an address that is not in the set, and no ACL changes", async () => {
    write(...facts, policy("rot.example.test"));
    const rotate = (at: number): void => {
      for (const one of dns) one.write(zone, [["rot", 5, "A", `198.51.100.${1 + (at % 200)}`]]);
    };
    rotate(0);
    start();
    const session = await opened();
    await eventually(() => {
      expect(held(session, "rot.example.test")).toHaveLength(1);
    }, 30_000);
    const before = acls(session);
    const clients = dns.map(({ address }) => resolverOf(address));
    const seen = new Map<string, number>();
    let unknown = 0;
    const begun = performance.now();
    for (let round = 0; performance.now() - begun < 25_000; round++) {
      if (round % 10 === 0) rotate(round / 10);
      const answers = await Promise.all(
        clients.map((one) => one.resolve4("rot.example.test").catch(() => [])),
      );
      for (const address of answers.flat()) {
        seen.set(address, (seen.get(address) ?? 0) + 1);
        if (!held(session, "rot.example.test").includes(address)) unknown++;
      }
      await sleep(40);
    }
    const asked = [...seen.values()].reduce((sum, count) => sum + count, 0);
    process.stderr.write(
      `rotation: ${unknown} of ${asked} answers were not in the set, of ${seen.size} addresses\n`,
    );
    expect(seen.size).toBeGreaterThan(3);
    expect(unknown / asked).toBeLessThan(0.15);
    expect(acls(session)).toBe(before);
    // Addresses whose time is over are not there any more.
    expect(held(session, "rot.example.test").length).toBeLessThan(seen.size);
    await session.close();
  });

  test("without DNS the addresses stay, a start without DNS writes nothing, and an instance says so", async () => {
    write(...facts, policy("www.example.test"));
    const one = start();
    const session = await opened();
    const full = ["198.51.100.10", "198.51.100.11", "2001:db8::10"];
    await eventually(() => {
      expect(held(session, "www.example.test")).toEqual(full);
    }, 30_000);
    for (const server of dns) await server.stop();
    await eventually(async () => {
      const ready = await served(one, "readyz?verbose");
      for (const { address } of dns) expect(ready).toContain(`the DNS server ${address} does not answer`);
    }, 30_000);
    await sleep(12_000);
    expect(held(session, "www.example.test")).toEqual(full);
    expect(await one.end()).toBe(0);
    const other = start();
    await eventually(() => {
      expect(other.log().some(({ message }) => message === "initial synchronization is complete")).toBe(true);
    }, 30_000);
    expect(await writtenRows(other)).toEqual([]);
    expect(held(session, "www.example.test")).toEqual(full);
    await session.close();
  });

  test("a policy without the name has no sets of it", async () => {
    write(...facts, policy("www.example.test"));
    start();
    const session = await opened();
    await eventually(() => {
      expect(held(session, "www.example.test")).toHaveLength(3);
    }, 30_000);
    write(...facts, policy("alias.example.test"));
    await eventually(() => {
      expect(held(session, "alias.example.test")).toEqual(["198.51.100.12"]);
      expect(session.cache.table("Address_Set").size).toBe(2);
    });
    await session.close();
  });
}

await describeWithCoreDns(describeWithOvn, "names of domains", tests);
