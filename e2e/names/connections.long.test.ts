// First connections to addresses that DNS has just answered, with sockets of the kernel through a chassis. A pod that may reach what
// is below a wildcard, and nothing else, is answered by a real CoreDNS with an address that nobody was answered with before, and
// connects at once. Every one is connected in the end: a first packet that comes before the address is in force is dropped, and TCP
// sends it again. What was never answered, and what is no longer learned, is not reached by a new connection; OVN ends an open one
// too, once a rule denies what its next packet goes to.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { PodSockets } from "../../test/proof/pod-network.ts";
import { PodNetwork } from "../../test/proof/pod-network.ts";
import { openNorthbound } from "../../test/support/controller.ts";
import { eventually } from "../../test/support/eventually.ts";
import { ip, node, pod } from "../../test/support/facts.ts";
import { describeWithSockets } from "../../test/support/ovn.ts";
import { patience } from "../../test/support/patience.ts";
import type { Running } from "../../test/support/program.ts";
import { startNorthgate } from "../../test/support/program.ts";
import { describeWithCoreDns } from "./describe.ts";
import { freePort } from "./coredns-process.ts";
import type { Northbound } from "./observed.ts";
import { held, served } from "./observed.ts";
import { TappedCoreDns, zone } from "./tapped-coredns.ts";
import { allowing, facts } from "./world.ts";

jest.setTimeout(patience(300_000));

const counts = { nudged: 1_000, without: 60, known: 100, brief: 20, never: 50 };
/** Names that are asked for at a time: without the nudge so few that the server does not send for the number of its answers. */
const lanes = { nudged: 20, without: 4 };
const port = 80;
const silenceMs = 400;
/** The fifth time that a segment is sent is after 31 s. */
const answerMs = patience(40_000);
const wild = `*.wild.${zone}`;

/** Of networks for measurements (RFC 2544). */
const address = (at: number): string => `198.18.${at >> 8}.${at & 255}`;
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const names = {
  nudged: numbers(counts.nudged),
  without: numbers(counts.without, 1_000),
  brief: numbers(counts.brief, 1_200),
  never: numbers(counts.never, 1_300),
};
const records = [
  ...[...names.nudged, ...names.without].map((at) => `n${at}.wild 30 IN A ${address(at)}`),
  ...names.brief.map((at) => `n${at}.wild 1 IN A ${address(at)}`),
];
const client = pod("a", "web", { node: "n1", labels: { app: "web" }, ips: ["10.0.0.1", "fd00::1"] });

function tests(): void {
  let ovn: Ovn;
  let network: PodNetwork;
  let dns: TappedCoreDns;
  let tapPort: number;
  let folder: string;
  let session: Northbound;
  let pods: { readonly client: PodSockets; readonly world: PodSockets };
  let running: Running | null = null;

  beforeAll(async () => {
    ovn = await startOvn();
    const world = { pods: [client], nodes: [node("n1", {}, ["192.0.2.1"])] };
    await applyCni(ovn, world);
    const outside = Object.values(names).flatMap((list) => list.map((at) => ip(address(at))));
    network = await PodNetwork.open(ovn, world, { outside, services: [] });
    pods = { client: network.of(client), world: network.of(null) };
    expect(await pods.world.ask("listen", "tcp", "0.0.0.0", port)).toBe("ok");
    tapPort = await freePort();
    dns = await TappedCoreDns.start(tapPort, records);
    folder = mkdtempSync(join(tmpdir(), "ng-connections-"));
    const items = [...facts, allowing([wild])];
    writeFileSync(join(folder, "w.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterAll(async () => {
    await running?.end("SIGKILL");
    await session.close();
    await dns.stop();
    await network.close();
    await ovn.stop();
    rmSync(folder, { recursive: true });
  });

  /** `dnsPort`: where the program asks the DNS server; the tap comes from the server itself. */
  async function starts(dnsPort: number): Promise<void> {
    await running?.end();
    const one = startNorthgate([
      ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ...["--names=dnstap", `--names-servers=127.0.0.1:${dnsPort}`],
      `--names-bind-address=127.0.0.1:${tapPort}`,
    ]);
    running = one;
    await eventually(async () => {
      expect(one.log().some(({ message }) => message === "initial synchronization is complete")).toBe(true);
      expect(await served(one, "metrics")).toContain("\nnorthgate_names_tap_connections 1\n");
    }, 30_000);
    await network.chassis.sync();
  }

  const connects = (at: number, waitMs = answerMs) =>
    pods.client.ask("probe", "tcp", address(at), port, waitMs);

  /** Milliseconds from the answer to the connection, sorted. */
  async function delays(
    of: readonly number[],
    { atOnce = lanes.nudged, isAsked = true } = {},
  ): Promise<readonly number[]> {
    const [left, took] = [of.values(), [] as number[]];
    const refused: string[] = [];
    const lane = async (): Promise<void> => {
      const resolver = dns.resolver();
      for (const at of left) {
        if (isAsked) expect(await resolver.resolve4(`n${at}.wild.${zone}`)).toEqual([address(at)]);
        const begun = performance.now();
        const word = await connects(at);
        if (word === "allow") took.push(performance.now() - begun);
        else refused.push(`${address(at)}: ${word}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    expect(refused).toEqual([]);
    return took.sort((a, b) => a - b);
  }

  const among = (sorted: readonly number[], share: number) =>
    sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
  const drops = async (of: readonly number[]) => {
    const words = await Promise.all(of.map((at) => connects(at, silenceMs)));
    return words.filter((word) => word === "drop").length;
  };

  test("are all connected, with the nudge and without it: later where the address is not yet in force", async () => {
    // Nobody answers there, so that no question makes the server send what it has collected.
    await starts(await freePort());
    const without = await delays(names.without, { atOnce: lanes.without });
    await starts(dns.port);
    const nudged = await delays(names.nudged);
    const known = await delays(names.nudged.slice(-counts.known), { isAsked: false });
    const base = among(known, 0.5);
    const extra = (sorted: readonly number[]) =>
      [0.5, 0.99].map((share) => `p${share * 100} ${(among(sorted, share) - base).toFixed(0)} ms`).join(", ");
    process.stderr.write(
      `first connections, delay beyond that of an address in force (${base.toFixed(1)} ms): ` +
        `${extra(nudged)} of ${nudged.length}; without the nudge: ${extra(without)} of ${without.length}\n`,
    );
    expect([nudged.length, without.length]).toEqual([counts.nudged, counts.without]);
  });

  test("to what was never answered are not connected, nor to what is no longer learned; an open one ends then", async () => {
    expect(await drops(names.never)).toBe(counts.never);
    await delays(names.brief);
    const [first = 0] = names.brief;
    await dns.resolver().resolve4(`n${first}.wild.${zone}`);
    const { id, answer } = pods.client.send("open", address(first), port, answerMs);
    expect(await answer).toBe("allow");
    expect(await pods.client.ask("exchange", id, answerMs)).toBe("answered");
    await eventually(() => {
      const now = new Set(held(session, wild));
      expect(names.brief.filter((at) => now.has(address(at)))).toEqual([]);
    }, 60_000);
    await ovn.sync();
    await network.chassis.sync();
    expect(await drops(names.brief)).toBe(counts.brief);
    expect(await pods.client.ask("exchange", id, 5 * silenceMs)).toBe("silence");
  });
}

await describeWithCoreDns(describeWithSockets, "first connections by name", tests);
