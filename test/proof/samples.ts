// Judge E: the samples of the packets that the dataplane has judged, received, parsed and decoded as `northgate observe-node` does it. Each
// packet is a record of its own, sent before the next packet is taken, so that a datagram of ours behind them says that all are here.

import { createSocket } from "node:dgram";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { Sampling } from "../../src/nbdb/rows/render-mode.ts";
import { DatabaseSamples } from "../../src/nbdb/observe/samples.ts";
import { Decoder } from "../../src/observe/decode/decoder.ts";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { IpfixReceiver } from "../../src/observe/ipfix/receiver.ts";
import type { SampledPacket } from "../../src/observe/ipfix/sampled-packet.ts";
import { sampledPacket } from "../../src/observe/ipfix/sampled-packet.ts";
import type { HitAcl } from "../../tools/sandbox/acls-of-flows.ts";
import { hitAcl, hitColumns } from "../../tools/sandbox/acls-of-flows.ts";
import { list } from "../../tools/sandbox/listing.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { run } from "../../tools/sandbox/program.ts";
import { echoRequest, headersOf } from "../../tools/sandbox/trace.ts";
import { patience } from "../support/patience.ts";
import { sourcePortAt } from "./dataplane.ts";
import { protocolNumber } from "./frames.ts";
import type { Words } from "./judges.ts";
import { opinionOfHits } from "./judges.ts";
import type { Probe } from "./packets.ts";

/** Every packet. */
export const everyPacket: Sampling = { setId: 73, probability: 65_535 };
const waitMs = patience(10_000);
/** Of a program that sends something else to the port. */
const marker = Buffer.from("behind all");

/** The chain of rules that samples name, or why it is not known. */
export type SampledChain = readonly string[] | string;

export class SamplesJudge {
  readonly #ovn: Ovn;
  readonly #source: DatabaseSamples;
  readonly #receiver: IpfixReceiver;
  readonly #taken: SampledPacket[];

  private constructor(ovn: Ovn, receiver: IpfixReceiver, taken: SampledPacket[]) {
    this.#ovn = ovn;
    this.#receiver = receiver;
    this.#taken = taken;
    const databases = { nb: ovn.nb, sb: ovn.sb, tls: null, clock: systemClock, logger: silentLogger };
    this.#source = new DatabaseSamples(databases, () => Date.now());
  }

  /** Of an OVN with a chassis. */
  static async open(ovn: Ovn): Promise<SamplesJudge> {
    const taken: SampledPacket[] = [];
    const receiver = await IpfixReceiver.open(0, systemClock, (record) => {
      const packet = sampledPacket(record);
      if (packet !== null) taken.push(packet);
    });
    const program = ovn.install.programs["ovs-vsctl"] ?? "";
    const set = ["create", "Flow_Sample_Collector_Set", `id=${everyPacket.setId}`, "bridge=@b", "ipfix=@i"];
    await run(
      program,
      [
        ...["--timeout=30", `--db=unix:${join(ovn.dir, "ovs.sock")}`, "--id=@b", "get", "bridge", "br-int"],
        ...["--", "--id=@i", "create", "IPFIX", `targets="${receiver.target}"`, "cache_active_timeout=0"],
        ...["--", ...set],
      ],
      { env: process.env },
    );
    return new SamplesJudge(ovn, receiver, taken);
  }

  async close(): Promise<void> {
    await this.#receiver.close();
    await this.#source.close();
  }

  /** Of the packets that were sent since this was asked last. */
  async chains(probes: readonly Probe[], words?: Words): Promise<readonly SampledChain[]> {
    const packets = await this.#packets();
    const acls = await this.#acls();
    await this.#known(packets);
    const decoder = new Decoder(this.#source);
    const byPath = Map.groupBy(
      packets.flatMap((packet) => {
        const event = decoder.decode(packet);
        return event === null ? [] : [{ path: pathOf(packet), event }];
      }),
      ({ path }) => path,
    );
    return probes.map((probe, at) => {
      const events = (byPath.get(pathOfProbe(probe, at)) ?? []).map(({ event }) => event);
      return chainOf(events, acls, words);
    });
  }

  async #packets(): Promise<readonly SampledPacket[]> {
    const { counts } = this.#receiver;
    const before = counts.malformed;
    const socket = createSocket("udp4");
    const [host = "", port = ""] = this.#receiver.target.split(":");
    socket.send(marker, Number(port), host);
    await until("the datagram behind all samples is here", () => counts.malformed > before);
    socket.close();
    if (counts.lost + counts.unread > 0) throw new Error(`samples are lost: ${JSON.stringify(counts)}`);
    return this.#taken.splice(0);
  }

  /** The databases have told what the numbers mean; one that they do not know is a fault of somebody else. */
  async #known(packets: readonly SampledPacket[]): Promise<void> {
    const isKnown = ({ app, point, atMs }: SampledPacket): boolean =>
      this.#source.connectionOf(app) !== null && this.#source.ruleAt(point, atMs) !== null;
    await until("all numbers are known", () => packets.every(isKnown)).catch(() => undefined);
  }

  /** By the number of their samples. */
  async #acls(): Promise<ReadonlyMap<number, HitAcl>> {
    const [acls = [], samples = []] = await list(
      this.#ovn.nb,
      "OVN_Northbound",
      { table: "ACL", columns: [...hitColumns, "sample_new"] },
      { table: "Sample", columns: ["_uuid", "metadata"] },
    );
    const numbers = new Map(samples.map((row) => [row.text("_uuid"), Number(row.text("metadata"))]));
    return new Map(
      acls.flatMap((row) =>
        row.list("sample_new").map((sample) => [numbers.get(sample) ?? -1, hitAcl(row)] as const),
      ),
    );
  }
}

function chainOf(
  events: readonly SeenEvent[],
  acls: ReadonlyMap<number, HitAcl>,
  words?: Words,
): SampledChain {
  const hits: HitAcl[] = [];
  for (const { number, rule } of events) {
    const acl = acls.get(number);
    if (acl === undefined) return `sample ${number} is of no ACL`;
    if (rule === null) return `sample ${number} is decoded as no rule`;
    const index = acl.externalIds.get("gress-index") ?? "";
    const isIndex = /^\d+$/.test(index) && typeof rule.rule === "number";
    if (isIndex && Number(index) !== rule.rule) return `sample ${number} is decoded as rule ${rule.rule}`;
    hits.push(acl);
  }
  const { rules } = opinionOfHits("allow", hits, words);
  return rules;
}

function pathOf({ source, destination, protocol, sourcePort, destinationPort, icmp }: SampledPacket): string {
  const ports = icmp === null ? `${sourcePort} ${destinationPort}` : icmp.type;
  return `${protocol} ${source} ${destination} ${ports}`;
}

/** As it was sent. */
function pathOfProbe({ packet }: Probe, at: number): string {
  const { protocol, port = 80 } = packet;
  const { family, source, destination } = headersOf(packet);
  const { type } = packet.icmp ?? echoRequest(family);
  const ports = typeof protocol === "number" ? "0 0" : `${sourcePortAt(packet, at)} ${port}`;
  const last = protocol === "icmp" ? type : ports;
  return `${protocolNumber(protocol, family)} ${source} ${destination} ${last}`;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await sleep(2);
  }
}
