// Whatever bytes a program sends to the names listener, the stream ends with a reason or continues, each message has a fate, and what is
// learned has names and addresses in the one form that the rest of the program knows. Of DNS messages dns-packet is the judge.

import { expect, test } from "@jest/globals";
import dnsPacket from "dns-packet";
import { parseIp } from "../../src/model/ip.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { TapCounting } from "../../src/names/dnstap/counts.ts";
import type { DnsResponse } from "../../src/names/dnstap/dns/response.ts";
import { readResponse } from "../../src/names/dnstap/dns/response.ts";
import { searchSuffixes } from "../../src/names/dnstap/search-suffixes.ts";
import { TapStream } from "../../src/names/dnstap/stream/tap-stream.ts";
import { TapReader } from "../../src/names/dnstap/tap-reader.ts";
import { WatchedNames } from "../../src/names/dnstap/watched.ts";
import { MalformedBytes } from "../../src/protobuf/wire.ts";
import type { WrittenMessage, WrittenRecord } from "../support/dns/message.ts";
import { plainResponse, writeMessage } from "../support/dns/message.ts";
import { answerFrame, Learned, ready, start, stop } from "../support/dns/tap-sender.ts";
import { dataFrame, messageTypes, tapMessage } from "../support/dns/tap.ts";
import { patience } from "../support/patience.ts";
import { fuzz, runs } from "./fuzz.ts";

const hostName = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const source = "10.244.0.2" as IpAddress;

const www = "www.example.org";
const v4 = (owner: string, type = 1): WrittenRecord => ({
  owner,
  type,
  ttl: 30,
  data: Buffer.of(192, 0, 2, 1),
});
const v6 = (owner: string): WrittenRecord => ({
  ...{ owner, type: 28, ttl: 5 },
  data: Buffer.from("20010db8000000000000000000000001", "hex"),
});
const alias = (owner: string, data: string): WrittenRecord => ({ owner, type: 5, ttl: 60, data });
const message = (parts: Partial<WrittenMessage>) =>
  writeMessage({
    ...{ flags: plainResponse, question: { name: www, type: 1 }, answers: [], compressed: true },
    ...parts,
  });
const mapped = { ...v6(www), data: Buffer.from("00000000000000000000ffff0a600001", "hex") };
const messages = [
  message({ answers: [alias(www, "cdn.example.net"), v4("cdn.example.net"), v4(www)] }),
  message({ answers: [v4(www), v4(www, 16)], additionals: [v4("x")], compressed: false }),
  message({ question: { name: www, type: 28 }, answers: [v6(www), mapped] }),
  message({ question: { name: "a b.example.org", type: 28 }, answers: [] }),
  message({ answers: [v4(www)], flags: plainResponse | 0x0200 }),
  message({ question: { name: "www.example.org.svc.cluster.local", type: 1 }, flags: plainResponse | 3 }),
  message({
    question: { name: "www.example.org.svc.cluster.local", type: 1 },
    answers: [alias("www.example.org.svc.cluster.local", www), v4(www)],
  }),
];
const frames = messages.map((one) => dataFrame(tapMessage(messageTypes.clientResponse, one)));
const streams = [
  Buffer.concat([ready, start, ...frames, stop]),
  Buffer.concat([
    ready,
    start,
    answerFrame(www, 1, 2),
    dataFrame(tapMessage(messageTypes.clientQuery, messages[0]!)),
  ]),
  ...frames.map((frame) => Buffer.concat([ready, start, frame, answerFrame("a.example.org", 7)])),
];

test(
  "DNS messages: an error, or what dns-packet reads",
  async () => {
    let compared = 0;
    const untouched = await fuzz(
      "DNS messages",
      /src\/names\/dnstap\/dns\//,
      messages,
      (bytes) => {
        const read = ours(bytes);
        if (read === null) return;
        const judged = theirs(bytes, read);
        if (judged === null) return;
        compared++;
        expect({ question: read.question, answers: read.answers }).toEqual(judged);
      },
      runs / 2,
    );
    expect(untouched).toEqual([]);
    // Most inputs are damaged. Of the seeds alone five are compared.
    expect(compared).toBeGreaterThan(10);
  },
  patience(600_000),
);

/** Of reading Kubernetes' objects, and of what a caller asks beside the reading. */
const apart = /^(message\.ts:|watched\.ts:get )/;

// It comes second, and looks at other files: V8 counts no blocks of functions that an earlier measurement has seen.
test(
  "streams: a fate of each message, and names and addresses in their one form",
  async () => {
    const seen = new Set<string>();
    const untouched = await fuzz(
      "streams of dnstap",
      /src\/(names\/dnstap\/(stream|answered|tapped|tap-reader|watched)|protobuf\/message)/,
      streams,
      (bytes, draw) => {
        const [learned, names, counts] = [new Learned(), new WatchedNames(), new TapCounting()];
        names.watch({ patterns: ["*.example.org", www, "*"], search: searchSuffixes("cluster.local", []) });
        const [stream, reader] = [new TapStream(), new TapReader(names, learned, counts)];
        for (let at = 0; at < bytes.length;) {
          const length = 1 + draw(90);
          const { messages: read, end } = stream.push(bytes.subarray(at, at + length));
          for (const one of read) seen.add(reader.read(one, source, 1));
          if (end !== null) seen.add(end);
          at += length;
        }
        for (const { name, addresses, outcome } of learned.answers) {
          expect(name).toMatch(hostName);
          expect(addresses.length > 0).toBe(outcome === "answered");
          for (const { ip, ttl } of addresses) {
            expect(ip.replace(/^::ffff:(?=\d+\.)/, "")).toBe(parseIp(ip));
            expect(ttl).toBeGreaterThanOrEqual(0);
            expect(ttl).toBeLessThan(2 ** 31);
          }
        }
      },
      runs / 2,
    );
    expect(untouched.filter((name) => !apart.test(name))).toEqual([]);
    expect([...seen]).toEqual(
      expect.arrayContaining(["answered", "damaged", "no client response", "truncated", "frame too long"]),
    );
  },
  patience(600_000),
);

function ours(bytes: Buffer): DnsResponse | null {
  try {
    return readResponse(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBytes);
    return null;
  }
}

/** null: it cannot judge. It takes records of a few types as if they had their usual length, and writes bytes of names as they are. */
function theirs(bytes: Buffer, { question, rcode, isTruncated }: DnsResponse) {
  if (question === null || rcode !== 0 || isTruncated) return null;
  try {
    const { answers = [] } = dnsPacket.decode(bytes);
    const records = answers.map((one) => {
      if (one.type !== "A" && one.type !== "AAAA" && one.type !== "CNAME") throw new Error("of another type");
      if (one.class !== "IN" || one.flush === true) throw new Error("of another class");
      return {
        type: one.type,
        owner: plain(one.name),
        ttl: (one.ttl ?? 0) > 0x7fff_ffff ? 0 : one.ttl,
        ...dataOf(one.type, one.data),
      };
    });
    return { question, answers: records };
  } catch {
    return null;
  }
}

function dataOf(type: string, data: string) {
  if (type === "CNAME") return { target: plain(data) };
  const ip = parseIp(data);
  return { ip: type === "AAAA" && ip?.includes(":") === false ? `::ffff:${ip}` : ip };
}

function plain(name: string): string {
  const text = name === "." ? "" : name.toLowerCase();
  if (text !== "" && !hostName.test(text)) throw new Error("has other bytes");
  return text;
}
