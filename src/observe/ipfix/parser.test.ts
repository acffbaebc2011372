// IPFIX as Open vSwitch 3.5.0 sent it, and as nobody should: templates that are withdrawn, replaced, late or too many, sets that are cut.

import { expect, test } from "@jest/globals";
import { IpfixParser, limits, noCounts } from "./parser.ts";
import { fieldKey } from "./records.ts";
import { sampledPacket } from "./sampled-packet.ts";
import { captured } from "../../../test/observe/captured.ts";

const u16 = (...values: readonly number[]) =>
  Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
function set(id: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u16(id, body.length + 4), body]);
}
function message(sequence: number, ...sets: readonly Buffer[]): Buffer {
  const body = Buffer.concat(sets);
  const head = Buffer.alloc(16);
  head.writeUInt16BE(10, 0);
  head.writeUInt16BE(16 + body.length, 2);
  head.writeUInt32BE(1_000_000, 4);
  head.writeUInt32BE(sequence, 8);
  head.writeUInt32BE(0x02000005, 12);
  return Buffer.concat([head, body]);
}
const ports = u16(300, 2, 7, 2, 11, 2);
const template = set(2, ports);
const keys = [7, 11].map((element) => fieldKey(element));

function reader() {
  const counts = noCounts();
  const parser = new IpfixParser(counts);
  const read = (...bytes: readonly Buffer[]) =>
    bytes.flatMap((one) =>
      parser.read(one).map(({ fields }) => keys.map((key) => fields.get(key)?.readUInt16BE(0))),
    );
  return { counts, parser, read };
}

test("what Open vSwitch has sent of dropped, passed and allowed packets of both families", () => {
  const counts = noCounts();
  const parser = new IpfixParser(counts);
  const packets = captured.flatMap((one) => parser.read(one).map(sampledPacket));
  const at = 1_795_825_737_000;
  expect(packets[0]).toEqual({
    ...{ app: 2, datapath: 1, point: 1005, source: "10.0.1.18", destination: "10.0.2.17" },
    ...{ protocol: 6, sourcePort: 20_000, destinationPort: 81, icmp: null, atMs: at - 1602 },
  });
  expect(packets).toContainEqual({
    ...{ app: 2, datapath: 1, point: 1003, source: "fd00:0:0:1::16", destination: "fd00:0:0:2::17" },
    ...{ protocol: 6, sourcePort: 20_001, destinationPort: 83, icmp: null, atMs: at - 1570 },
  });
  expect(packets.at(-1)).toMatchObject({ app: 3, datapath: 2, point: 1002, sourcePort: 40_000 });
  expect(packets).toHaveLength(15);
  expect(counts).toMatchObject({ records: 15, malformed: 0, withoutTemplate: 0, overLimit: 0 });
});

test("records that did not arrive are counted by their numbers", () => {
  const { counts, read } = reader();
  const data = set(300, u16(1, 2), u16(3, 4));
  expect(read(message(7, template), message(7, data), message(9, data))).toHaveLength(4);
  expect(counts.lost).toBe(0);
  read(message(15, data), message(0xffffffff, data), message(1, data));
  expect(counts.lost).toBe(4);
});

test("a template may be replaced, withdrawn, and come after its set", () => {
  const { counts, read, parser } = reader();
  const data = set(300, u16(1, 2));
  expect(read(message(0, data, template))).toEqual([[1, 2]]);
  const swapped = set(2, u16(300, 2, 11, 2, 7, 2));
  expect(read(message(0, swapped, data))).toEqual([[2, 1]]);
  expect(read(message(0, set(2, u16(300, 0)), data))).toEqual([]);
  expect(parser.kept.waiting).toBe(1);
  expect(read(message(0, template), message(0, set(2, u16(2, 0)), data))).toEqual([[1, 2]]);
  expect(counts.malformed).toBe(0);
  for (let more = 0; more < limits.waitingSets; more++) read(message(0, data));
  expect(counts.withoutTemplate).toBe(1);
  expect(parser.kept.waiting).toBe(limits.waitingSets);
});

test("fields of variable length, of enterprises, and padding", () => {
  const { counts, parser } = reader();
  const fields = set(2, u16(301, 3, 82, 0xffff, 0x8000 + 7, 2), u16(0, 6876), u16(7, 2));
  const long = Buffer.alloc(300, "x");
  const data = set(
    301,
    ...[Buffer.from([3]), Buffer.from("abc"), u16(9, 80)],
    ...[Buffer.from([255]), u16(300), long, u16(8, 81)],
    Buffer.alloc(3),
  );
  const records = parser.read(message(0, fields, data));
  expect(records.map(({ fields: found }) => found.get(fieldKey(82))?.toString())).toEqual([
    ...["abc", long.toString()],
  ]);
  expect(records.map(({ fields: found }) => found.get(fieldKey(7, 6876))?.readUInt16BE(0))).toEqual([9, 8]);
  expect(records.map(({ fields: found }) => found.get(fieldKey(7))?.readUInt16BE(0))).toEqual([80, 81]);
  expect(counts.malformed).toBe(0);
});

test("records of options are passed over, and are in the numbers", () => {
  const { counts, read } = reader();
  const options = set(3, u16(302, 2, 1, 144, 4, 41, 2));
  const data = set(302, u16(0, 1, 5), u16(0, 2, 6));
  expect(read(message(0, options, template, data), message(2, set(300, u16(1, 2))))).toEqual([[1, 2]]);
  expect(counts).toMatchObject({ records: 1, lost: 0, malformed: 0 });
});

test.each([
  ["an empty datagram", Buffer.alloc(0)],
  ["another version", message(0).fill(9, 0, 2)],
  ["a length beyond its end", message(0, template).subarray(0, 20)],
  ["a set without length", message(0, u16(300, 0))],
  ["a set beyond its message", message(0, u16(300, 40), u16(1))],
  ["bytes behind the sets", message(0, template, Buffer.alloc(2))],
  ["a template with more fields than bytes", message(0, set(2, u16(300, 9, 7, 2)))],
  ["an enterprise that is cut", message(0, set(2, u16(300, 1, 0x8007, 2)))],
  ["a template with the number of a set", message(0, set(2, u16(9, 1, 7, 2)))],
  ["a record of no bytes", message(0, set(2, u16(300, 1, 7, 0)), set(300, u16(1)))],
  ["a text beyond its set", message(0, set(2, u16(300, 1, 82, 0xffff)), set(300, Buffer.from([9, 65])))],
])("%s is counted, and what is before it is read", (_, bytes) => {
  const { counts, read } = reader();
  read(bytes);
  expect(counts).toMatchObject({ messages: 1, malformed: 1, records: 0 });
  expect(read(message(0, template, set(300, u16(1, 2), u16(3, 4)), u16(300, 3)))).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("of one message so many records are read, and the rest is counted as one", () => {
  const { counts, parser, read } = reader();
  const bytes = set(2, u16(303, 1, 7, 1));
  const many = set(303, Buffer.alloc(limits.recordsOfMessage + 1));
  expect(parser.read(message(0, bytes, many, template, set(300, u16(1, 2))))).toHaveLength(
    limits.recordsOfMessage,
  );
  expect(counts).toMatchObject({ records: limits.recordsOfMessage, overLimit: 1, malformed: 0, lost: 0 });
  // Those that waited for their template count too.
  parser.read(message(0, set(2, u16(303, 0)), many, many));
  expect(parser.read(message(0, bytes))).toHaveLength(limits.recordsOfMessage);
  expect(counts).toMatchObject({ overLimit: 3, malformed: 0, lost: 0 });
  // What is behind the limit was not read, and all that comes later is.
  expect(read(message(0, set(300, u16(1, 2))))).toEqual([]);
  expect(read(message(0, template))).toEqual([[1, 2]]);
  const options = set(3, u16(304, 1, 1, 144, 1));
  expect(read(message(0, options, set(304, Buffer.alloc(limits.recordsOfMessage)), many))).toEqual([]);
  expect(counts.overLimit).toBe(4);
});

test("templates and domains are bounded, and those in use go on", () => {
  const { counts, parser, read } = reader();
  read(message(0, template));
  for (let id = 256; id < 256 + 2 * limits.templatesOfDomain; id++)
    parser.read(message(0, set(2, u16(id, 1, id, 2))));
  parser.read(
    message(0, set(2, u16(300, limits.fieldsOfTemplate + 1), Buffer.alloc(4 * limits.fieldsOfTemplate + 4))),
  );
  expect(counts.overLimit).toBeGreaterThan(limits.templatesOfDomain);
  for (let domain = 0; domain < limits.domains + 10; domain++) {
    const other = message(0, set(2, u16(400, 1, 1000 + domain, 2)));
    other.writeUInt32BE(domain, 12);
    parser.read(other);
  }
  expect(parser.kept.domains).toBe(limits.domains);
  expect(parser.kept.templates).toBeLessThanOrEqual(limits.templates);
});
