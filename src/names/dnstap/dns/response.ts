// A DNS message → the question that it answers, and its answers that are addresses or other names. Their order is kept. All other
// records are passed over by their length, and what follows the answers is not read.

import { parseIp } from "../../../model/ip.ts";
import { MalformedBytes } from "../../../protobuf/wire.ts";
import { DnsBytes } from "./dns-bytes.ts";

/** IANA, "Domain Name System (DNS) Parameters". */
export const recordTypes = { A: 1, CNAME: 5, AAAA: 28 } as const;
const internet = 1;
/** Names of hosts as the reader writes them: without an escape. */
const hostName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

export interface AddressRecord {
  readonly type: "A" | "AAAA";
  readonly owner: string;
  /** In seconds. */
  readonly ttl: number;
  /** In the canonical form, or IPv4 that is mapped into IPv6: `::ffff:192.0.2.1`. */
  readonly ip: string;
}

export interface AliasRecord {
  readonly type: "CNAME";
  readonly owner: string;
  /** In seconds. */
  readonly ttl: number;
  readonly target: string;
}

export interface DnsResponse {
  readonly rcode: number;
  readonly isTruncated: boolean;
  /** null: of another class or type, or with no name of a host. */
  readonly question: { readonly name: string; readonly type: "A" | "AAAA" } | null;
  /** Read where they count: when there is a question, no error, and the message is whole. */
  readonly answers: readonly (AddressRecord | AliasRecord)[];
}

const noError = 0;
const flags = { response: 0x8000, opcode: 0x7800, truncated: 0x0200, rcode: 0x000f };

/** Throws MalformedBytes. */
export function readResponse(message: Buffer): DnsResponse {
  const bytes = new DnsBytes(message);
  bytes.take(2);
  const head = bytes.uint16();
  const [questions, answers] = [bytes.uint16(), bytes.uint16()];
  bytes.take(4);
  if ((head & flags.response) === 0 || (head & flags.opcode) !== 0 || questions > 1)
    throw new MalformedBytes("a DNS message is no response to one question");
  const question = questions === 0 ? null : questionAt(bytes);
  const rcode = head & flags.rcode;
  const isTruncated = (head & flags.truncated) !== 0;
  const isRead = question !== null && rcode === noError && !isTruncated;
  const records = Array.from({ length: isRead ? answers : 0 }, () => recordAt(bytes));
  return { rcode, isTruncated, question, answers: records.filter((one) => one !== null) };
}

function questionAt(bytes: DnsBytes): DnsResponse["question"] {
  const name = bytes.name();
  const type = addressType(bytes.uint16());
  const isOfInternet = bytes.uint16() === internet;
  return isOfInternet && type !== null && hostName.test(name) ? { name, type } : null;
}

function addressType(type: number): "A" | "AAAA" | null {
  if (type === recordTypes.A) return "A";
  return type === recordTypes.AAAA ? "AAAA" : null;
}

function recordAt(bytes: DnsBytes): AddressRecord | AliasRecord | null {
  const owner = bytes.name();
  const [type, recordClass] = [bytes.uint16(), bytes.uint16()];
  const ttl = secondsOf(bytes.uint32());
  const length = bytes.uint16();
  const end = bytes.at + length;
  const address = addressType(type);
  if (recordClass !== internet || (address === null && type !== recordTypes.CNAME)) {
    bytes.take(length);
    return null;
  }
  if (address !== null) return { type: address, owner, ttl, ip: addressOf(address, bytes.take(length)) };
  const target = bytes.name();
  if (bytes.at !== end) throw new MalformedBytes("an alias has another length than its name");
  return { type: "CNAME", owner, ttl, target };
}

/** RFC 2181, section 8: with the highest bit it is 0. */
function secondsOf(ttl: number): number {
  return ttl > 0x7fff_ffff ? 0 : ttl;
}

function addressOf(type: "A" | "AAAA", bytes: Buffer): string {
  if (bytes.length !== (type === "A" ? 4 : 16)) throw new MalformedBytes("an address has another length");
  const ip = parseIp(type === "A" ? bytes.join(".") : groupsOf(bytes).join(":"));
  if (ip === null) throw new MalformedBytes("an address is none");
  // As an IPv4 address it would pass for what an A record says.
  return type === "AAAA" && !ip.includes(":") ? `::ffff:${ip}` : ip;
}

function groupsOf(bytes: Buffer): readonly string[] {
  return Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(2 * group).toString(16));
}
