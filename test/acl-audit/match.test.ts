// The reader of match expressions and its verdicts against OVN's own: each random expression is the match of the one ACL of
// a switch of its own, ovn-trace sends packets through it, and complains of what it cannot read. Rows come by way of a dump.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { dirname, join } from "node:path";
import type { PodFact } from "../../src/model/facts.ts";
import type { RowConnection, DatabaseRows } from "../../src/nbdb/audit/index.ts";
import type { ReadAcl } from "../../src/nbdb/audit/stages.ts";
import { groupsIn } from "../../src/nbdb/audit/match/expression.ts";
import { evaluateRows, readRecords, databaseRows } from "../../src/nbdb/audit/index.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { run } from "../../tools/sandbox/program.ts";
import { macOf, portOf } from "../../tools/sandbox/topology.ts";
import type { Packet, Tracer } from "../../tools/sandbox/trace.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { ip, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { addressSets, expressionText } from "./expressions.ts";

jest.setTimeout(patience(120_000));

const switches = 60;
const runs = 5;

const podOn = (name: string, at: number, last: number): PodFact =>
  pod("a", `${name}${at}`, { node: `s${at}`, ips: [`10.0.0.${last}`, `fd00::${last}`] });
const places = Array.from({ length: switches }, (_, at) => ({
  from: podOn("p", at, 1),
  to: podOn("q", at, 2),
}));
const stranger = podOn("stranger", switches, 3);

const services = [
  ...(["tcp", "udp", "sctp"] as const).flatMap((protocol) =>
    [53, 80, 443].map((port) => ({ protocol, port, sourcePort: 40_000 })),
  ),
  { protocol: "icmp", port: 0 },
  { protocol: 47, port: 0 },
] as const;
const packets = services.flatMap((service) =>
  (["v4", "v6"] as const).map((family) => ({ ...service, family })),
);

function createPort(one: PodFact): readonly string[] {
  const name = portOf(one);
  const addresses = [macOf(one), ...one.ips].join(" ");
  return ["--", "lsp-add", one.node ?? "", name, "--", "lsp-set-addresses", name, addresses];
}

async function setUp(ovn: Ovn): Promise<void> {
  const ports = places.flatMap(({ from, to }, at) => [
    "--",
    "ls-add",
    `s${at}`,
    ...createPort(from),
    ...createPort(to),
  ]);
  await ovn.nbctl(...ports, "--", "ls-add", `s${switches}`, ...createPort(stranger));
  for (const [name, addresses] of Object.entries(addressSets))
    await ovn.nbctl("create", "address_set", `name=${name}`, `addresses=${JSON.stringify(addresses)}`);
  const members = {
    source: places.map(({ from }) => portOf(from)),
    target: places.map(({ to }) => portOf(to)),
    stranger: [portOf(stranger)],
    void: [],
  };
  for (const [name, of] of Object.entries(members)) await ovn.nbctl("pg-add", name, ...of);
}

async function existing(ovn: Ovn): Promise<DatabaseRows> {
  const client = join(dirname(ovn.install.programs["ovn-nbctl"]), "ovsdb-client");
  const env = { ...process.env, ...ovn.env };
  const { stdout } = await run(client, ["-f", "json", "dump", ovn.nb, "OVN_Northbound"], { env });
  const read = readRecords(stdout);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return databaseRows(read.records);
}

interface Tally {
  refused: number;
  met: number;
  missed: number;
}

await describeWithOvn("match expressions as OVN reads them", (install) => {
  let ovn: Ovn;
  const tally: Tally = { refused: 0, met: 0, missed: 0 };

  beforeAll(async () => {
    ovn = await startOvn({ install });
    await setUp(ovn);
  });
  afterAll(async () => {
    await ovn.stop();
  });

  test(`in ${runs * switches} random expressions`, async () => {
    const many = fc.array(expressionText, { minLength: switches, maxLength: switches });
    await fc.assert(
      fc.asyncProperty(many, async (texts) => {
        expect(await differences(texts)).toEqual([]);
      }),
      { numRuns: runs, includeErrorInReport: true, endOnFailure: true },
    );
    process.stderr.write(`match expressions: ${JSON.stringify(tally)}\n`);
    // Expressions that OVN refuses, and that nothing or everything meets, would prove nothing.
    expect(Math.min(tally.refused * packets.length, tally.met, tally.missed)).toBeGreaterThan(
      runs * switches * packets.length * 0.1,
    );
  });

  async function differences(texts: readonly string[]): Promise<readonly string[]> {
    // The number makes each match one of a kind, so that a complaint tells whose it is.
    const matches = texts.map((text, at) => `${text} /* ${at} */`);
    await ovn.nbctl(...places.flatMap((_, at) => ["--", "clear", "logical_switch", `s${at}`, "acls"]));
    await ovn.nbctl(
      ...matches.flatMap((match, at) => [
        ...["--", `--id=@acl${at}`, "create", "acl", "action=drop", "direction=to-lport", "priority=1"],
        ...[`match=${JSON.stringify(match)}`, "--", "set", "logical_switch", `s${at}`, `acls=@acl${at}`],
      ]),
    );
    const tracer = await openTracer(ovn, { newConnections: 4 * switches * packets.length });
    try {
      const rows = await existing(ovn);
      const complaints = await tracer.complaints();
      const found: string[] = [];
      for (const [at, match] of matches.entries()) {
        const isRefused = complaints.some((line) => line.includes(`(${match})`));
        found.push(...(await differencesOf({ tracer, rows, at, match, isRefused })));
      }
      return found;
    } finally {
      await tracer.close();
    }
  }

  interface Asked {
    readonly tracer: Tracer;
    readonly rows: DatabaseRows;
    readonly at: number;
    readonly match: string;
    readonly isRefused: boolean;
  }

  async function differencesOf({ tracer, rows, at, match, isRefused }: Asked): Promise<readonly string[]> {
    const place = places[at];
    if (place === undefined) return [];
    if (isRefused) tally.refused++;
    if (isLeftOpen(rows, portOf(place.to))) return [];
    const found =
      isRefusedHere(rows, portOf(place.to)) === isRefused
        ? []
        : [`${match}: OVN ${isRefused ? "refuses" : "takes"} it`];
    for (const { family, ...service } of packets) {
      const packet: Packet = { ...place, ...service, family };
      const { verdict: traced } = await tracer.verdict(packet);
      const { verdict, caveats } = evaluateRows(rows, connectionOf(packet));
      if (!isRefused) tally[traced === "drop" ? "met" : "missed"]++;
      const expected = traced === "drop" ? "deny" : "allow";
      // What OVN leaves out is open here, unless its match would not be met either.
      const agrees = verdict === expected || (isRefused && verdict === "unknown");
      if (agrees) continue;
      const said = caveats.map(({ text }) => text).join();
      const ovnSays = `${traced}${isRefused ? " (refused)" : ""}`;
      found.push(`${match} of ${JSON.stringify({ ...service, family })}: ${verdict} ${said}, OVN ${ovnSays}`);
    }
    return found;
  }
});

/** OVN takes an order between a field and a set of several addresses, in a way that nobody means: no verdict is given here. */
function isLeftOpen(rows: DatabaseRows, port: string): boolean {
  return aclsTo(rows, port).some(
    ({ match }) => "refused" in match && match.refused.includes("an order between a field and several"),
  );
}

function aclsTo(rows: DatabaseRows, port: string): readonly ReadAcl[] {
  return rows.switchOf(port)?.stages.leaving.flatMap((place) => place.acls) ?? [];
}

/** OVN knows a group on a switch only where the group has a port. */
function isRefusedHere(rows: DatabaseRows, port: string): boolean {
  const ports = rows.switchOf(port)?.ports ?? new Set();
  return aclsTo(rows, port).some(({ match }) => {
    if ("refused" in match) return true;
    return groupsIn(match.expression).some((group) => group.ports.isDisjointFrom(ports));
  });
}

function connectionOf({ from, to, protocol, port = 0, sourcePort, family }: Packet): RowConnection {
  const end = (one: Packet["from"]) => {
    if ("ip" in one) throw new Error("every end is a pod");
    const [v4 = "", v6 = ""] = one.ips;
    return { ip: ip(family === "v4" ? v4 : v6), port: portOf(one) };
  };
  return {
    ...{ from: end(from), to: end(to), protocol, port },
    ...(sourcePort === undefined ? {} : { sourcePort }),
  };
}
