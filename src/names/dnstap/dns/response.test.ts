// DNS messages: what is read of them is what was written and what dns-packet reads, and of what no server writes there is an error within
// a bounded time.

import { describe, expect, test } from "@jest/globals";
import dnsPacket from "dns-packet";
import fc from "fast-check";
import { MalformedBytes } from "../../../protobuf/wire.ts";
import type { WrittenMessage, WrittenRecord } from "../../../../test/support/dns/message.ts";
import { plainResponse, writeMessage } from "../../../../test/support/dns/message.ts";
import { readResponse, recordTypes } from "./response.ts";

const question = { name: "www.example.org", type: recordTypes.A };
const message = (parts: Partial<WrittenMessage>) =>
  writeMessage({ flags: plainResponse, question, answers: [], compressed: true, ...parts });
const address = (owner: string, ...bytes: readonly number[]): WrittenRecord => ({
  ...{ owner, ttl: 30, data: Buffer.from(bytes) },
  type: bytes.length === 4 ? recordTypes.A : recordTypes.AAAA,
});

describe("what is read", () => {
  test("addresses and aliases, in their order; other records are passed over", () => {
    const text: WrittenRecord = {
      owner: "www.example.org",
      type: 16,
      ttl: 1,
      data: Buffer.from("\u0003abc"),
    };
    const alias: WrittenRecord = { owner: "www.example.org", type: 5, ttl: 7, data: "cdn.example.net" };
    const v6 = address("cdn.example.net", ...[0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    const answers = [text, alias, address("cdn.example.net", 192, 0, 2, 1), v6];
    expect(readResponse(message({ answers, additionals: [address("x", 1, 2, 3, 4)] }))).toEqual({
      ...{ rcode: 0, isTruncated: false, question: { name: "www.example.org", type: "A" } },
      answers: [
        { type: "CNAME", owner: "www.example.org", ttl: 7, target: "cdn.example.net" },
        { type: "A", owner: "cdn.example.net", ttl: 30, ip: "192.0.2.1" },
        { type: "AAAA", owner: "cdn.example.net", ttl: 30, ip: "2001:db8::1" },
      ],
    });
  });

  test("names in lower case, whatever the case of a question", () => {
    const upper = message({ question: { name: "WWW.Example.ORG", type: recordTypes.AAAA } });
    expect(readResponse(upper).question).toEqual({ name: "www.example.org", type: "AAAA" });
  });

  test("an IPv4 address that is mapped into IPv6 does not pass for IPv4", () => {
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 96, 0, 1];
    const { answers } = readResponse(message({ answers: [address("www.example.org", ...mapped)] }));
    expect(answers).toEqual([{ type: "AAAA", owner: "www.example.org", ttl: 30, ip: "::ffff:10.96.0.1" }]);
  });

  test("a TTL with the highest bit is 0", () => {
    const answers = [{ ...address("www.example.org", 192, 0, 2, 1), ttl: 0x8000_0000 }];
    expect(readResponse(message({ answers })).answers[0]?.ttl).toBe(0);
  });

  test("no answers of a truncated response, nor of an error", () => {
    const answers = [address("www.example.org", 192, 0, 2, 1)];
    expect(readResponse(message({ answers, flags: plainResponse | 0x0200 }))).toMatchObject({
      ...{ isTruncated: true, answers: [] },
    });
    expect(readResponse(message({ answers, flags: plainResponse | 3 }))).toMatchObject({
      rcode: 3,
      answers: [],
    });
  });
});

describe("a name that no host has is no question, so that it cannot pass for another", () => {
  // A label with a dot: as text it would be a name of another zone.
  const withDot = Buffer.from(message({ question: { name: "www-allowed.example", type: 1 } }));
  withDot.write(".", withDot.indexOf("www-allowed") + 3);
  test.each([
    ["a label with a dot", withDot],
    ["a space", message({ question: { name: "www example.org", type: 1 } })],
    ["a byte of UTF-8", message({ question: { name: "\u00e9.example.org", type: 1 } })],
    ["the root", message({ question: { name: "", type: 1 } })],
    ["another type", message({ question: { name: "www.example.org", type: 65 } })],
  ])("%s", (_, bytes) => {
    expect(readResponse(bytes).question).toBeNull();
  });

  test("aliases keep such names apart", () => {
    const answers: readonly WrittenRecord[] = [
      { owner: "www.example.org", type: 5, ttl: 7, data: "a b.example" },
      { owner: "www.example.org", type: 5, ttl: 7, data: "a\u00ffB.example" },
    ];
    const targets = readResponse(message({ answers })).answers.map((one) =>
      one.type === "CNAME" ? one.target : "",
    );
    expect(targets).toEqual([String.raw`a\032b.example`, String.raw`a\255b.example`]);
  });
});

describe("what no server writes is an error", () => {
  const afterHead = (text: string, answers = 1) =>
    Buffer.from(`123481800001000${answers}00000000${text}`, "hex");
  const q = "0161000001" + "0001";
  test.each([
    ["nothing", Buffer.of()],
    ["a query", message({ flags: 0x0100 })],
    ["an update", message({ flags: plainResponse | 0x2800 })],
    ["two questions", Buffer.from("123481800002000000000000016100000100010161000001" + "0001", "hex")],
    ["a pointer to itself", afterHead("c00c00010001")],
    ["a pointer ahead", afterHead("c00e016100" + "00010001")],
    [
      "a pointer to a pointer",
      afterHead(`${q}c00c00010001000000010004c0000201c01300010001000000010004c0000201`, 2),
    ],
    ["a label of an unknown kind", afterHead("40610000010001")],
    ["a name behind the end", afterHead("0561")],
    ["an address of three bytes", afterHead(`${q}c00c00010001000000010003c00002`)],
    ["an address behind the end", afterHead(`${q}c00c00010001000000010004c000`)],
    ["an alias that is longer than its name", afterHead(`${q}c00c000500010000000100` + "03c00c00")],
    ["an alias that is shorter than its name", afterHead(`${q}c00c00050001000000010001c00c`)],
    ["more answers than there are", message({ answers: [] }).fill(1, 7, 8)],
    [
      "a name of 256 bytes",
      message({ question: { name: Array.from({ length: 127 }, () => "a").join(".") + "aa", type: 1 } }),
    ],
  ])("%s", (_, bytes) => {
    expect(() => readResponse(bytes)).toThrow(MalformedBytes);
  });

  test("a name of 255 bytes is read", () => {
    const name = Array.from({ length: 127 }, () => "a").join(".");
    expect(readResponse(message({ question: { name, type: 1 } })).question?.name).toBe(name);
  });

  test("a message of 65,535 bytes whose names all have 127 labels is refused before it is read through", () => {
    const name = Array.from({ length: 127 }, () => "a").join(".");
    const answers = Array.from({ length: 4000 }, () => address(name, 192, 0, 2, 1));
    const bytes = message({ question: { name, type: 1 }, answers });
    expect(() => readResponse(bytes)).toThrow("a DNS message has too many labels");
    // Those of a name of 16 labels are all read.
    const usual = Array.from({ length: 16 }, (_, label) => `l${label}`).join(".");
    const many = message({
      question: { name: usual, type: 1 },
      answers: answers.map((one) => ({ ...one, owner: usual })),
    });
    expect(readResponse(many).answers).toHaveLength(4000);
  });
});

const label = fc.string({ unit: fc.constantFrom(...Array.from("abzAZ09-_")), minLength: 1, maxLength: 8 });
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));
const owners = fc.constantFrom("www.example.org", "cdn.example.net", "a.b.example.net", "org");
const record = fc.oneof(
  fc.record({ owner: owners, type: fc.constant(1), ttl: fc.nat(), data: bytesOf(4) }),
  fc.record({ owner: owners, type: fc.constant(28), ttl: fc.nat(), data: bytesOf(16) }),
  fc.record({ owner: owners, type: fc.constant(5), ttl: fc.nat(), data: fc.oneof(owners, name) }),
);
function bytesOf(length: number) {
  return fc.uint8Array({ minLength: length, maxLength: length }).map((one) => Buffer.from(one));
}

/** As dns-packet reads it. */
function judged(bytes: Buffer) {
  const { questions = [], answers = [] } = dnsPacket.decode(bytes);
  const read = answers.map((one) => {
    if (one.type === "CNAME")
      return { type: one.type, owner: one.name.toLowerCase(), ttl: one.ttl, target: one.data.toLowerCase() };
    if (one.type === "A" || one.type === "AAAA")
      return { type: one.type, owner: one.name.toLowerCase(), ttl: one.ttl, ip: one.data };
    throw new Error(`no such record was written: ${one.type}`);
  });
  return {
    question: questions.map((one) => ({ name: one.name.toLowerCase(), type: one.type }))[0],
    answers: read,
  };
}

test("random responses are read as dns-packet reads them", () => {
  fc.assert(
    fc.property(
      ...([name, fc.constantFrom(1, 28), fc.array(record, { maxLength: 8 }), fc.boolean()] as const),
      (asked, type, answers, compressed) => {
        const bytes = message({ question: { name: asked, type }, answers, compressed });
        const { question: of, answers: read } = readResponse(bytes);
        expect({ question: of, answers: read }).toEqual(judged(bytes));
        expect(read).toHaveLength(answers.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("random bytes: an answer, or an error of one kind", () => {
  const ofHead = fc
    .uint8Array({ maxLength: 80 })
    .map((rest) => Buffer.concat([Buffer.from("123481800001000200000000", "hex"), rest]));
  fc.assert(
    fc.property(ofHead, (bytes) => {
      try {
        readResponse(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBytes);
      }
    }),
    { numRuns: 2000 },
  );
});
