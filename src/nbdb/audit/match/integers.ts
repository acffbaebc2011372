// The numbers of match expressions: decimal, hexadecimal, Ethernet, IPv4 and IPv6, with masks and prefix lengths, as OVN
// reads them (ovn-sb(5), "Constants"). Refuses leading zeros of decimal numbers, formats that do not fit together and
// numbers that are too large; each error is one sentence. Bits outside a mask are cleared, as OVN does.

import type { Format, Integer } from "./expression.ts";

/** What OVN, or this program, does not take for a match. The message is one sentence that ends without a full stop. */
export class MatchError extends Error {
  override readonly name = "MatchError";
}

/** The end of the number that begins at `at`. A colon behind a dot ends it, and so do two dots. */
export function endOfInteger(text: string, at: number): number {
  let end = at;
  let sawDot = false;
  for (; end < text.length; end++) {
    const character = text.charAt(end);
    if (character === "." && text.charAt(end + 1) !== ".") sawDot = true;
    else if (!(/[A-Za-z0-9]/.test(character) || (character === ":" && !sawDot))) break;
  }
  return end;
}

/** `text` is a number, or two with a slash between them. */
export function readInteger(text: string): Integer {
  const slash = text.indexOf("/");
  if (slash < 0) return { kind: "integer", ...plain(text), mask: null };
  const [value, mask] = [plain(text.slice(0, slash)), plain(text.slice(slash + 1))];
  const bits = maskOf(value, mask);
  if (bits === null) throw new MatchError(`value and mask of ${text} do not fit together`);
  const format = value.format === "decimal" && mask.format === "hexadecimal" ? mask.format : value.format;
  return { kind: "integer", value: value.value & bits, mask: bits, format };
}

interface Plain {
  readonly value: bigint;
  readonly format: Format;
}

function maskOf(value: Plain, mask: Plain): bigint | null {
  if (value.format === mask.format) return mask.value;
  if (mask.format === "decimal") {
    if (value.format === "ipv4" && mask.value <= 32n) return prefixMask(32n, mask.value);
    if (value.format === "ipv6" && mask.value <= 128n) return prefixMask(128n, mask.value);
    return null;
  }
  return value.format === "decimal" && mask.format === "hexadecimal" && value.value === 0n
    ? mask.value
    : null;
}

function prefixMask(width: bigint, length: bigint): bigint {
  return ((1n << length) - 1n) << (width - length);
}

function plain(text: string): Plain {
  if (text === "") throw new MatchError("a number is missing");
  if (/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text))
    return { value: BigInt(`0x${text.replaceAll(":", "")}`), format: "ethernet" };
  if (/^\d+$/.test(text)) return decimal(text);
  if (/^0x/i.test(text)) return hexadecimal(text);
  const v4 = ipv4Value(text);
  if (v4 !== null) return { value: v4, format: "ipv4" };
  const v6 = ipv6Value(text);
  if (v6 !== null) return { value: v6, format: "ipv6" };
  throw new MatchError(`${text} is no number and no address`);
}

function decimal(text: string): Plain {
  if (text.length > 1 && text.startsWith("0")) throw new MatchError(`${text} begins with a zero`);
  const value = BigInt(text);
  if (value >= 1n << 64n) throw new MatchError(`${text} does not fit in 64 bits`);
  return { value, format: "decimal" };
}

function hexadecimal(text: string): Plain {
  if (!/^0x[0-9a-f]+$/i.test(text)) throw new MatchError(`${text} is no hexadecimal number`);
  const value = BigInt(text);
  if (value >= 1n << 1024n) throw new MatchError(`${text} does not fit in 1024 bits`);
  return { value, format: "hexadecimal" };
}

export function ipv4Value(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255))
    return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

export function ipv6Value(text: string): bigint | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const [head = [], tail = []] = halves.map(groupsOf);
  if (head.includes(null) || tail.includes(null)) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const all = [...head, ...new Array<number>(Math.max(missing, 0)).fill(0), ...tail];
  return all.reduce<bigint>((value, group) => (value << 16n) | BigInt(group ?? 0), 0n);
}

/** Sixteen bits each; null: not a group. A dotted tail is two groups. */
function groupsOf(text: string): (number | null)[] {
  if (text === "") return [];
  const parts = text.split(":");
  return parts.flatMap((part, at) => {
    if (/^[0-9a-f]{1,4}$/i.test(part)) return [Number.parseInt(part, 16)];
    const quad = at === parts.length - 1 ? ipv4Value(part) : null;
    return quad === null ? [null] : [Number(quad >> 16n), Number(quad & 0xffffn)];
  });
}

/** The fewest bits that hold the number, or all of its kind of address. */
export function widthOf({ value, mask, format }: Integer): number {
  if (mask !== null) return bitLength(mask);
  switch (format) {
    case "ipv4":
      return 32;
    case "ipv6":
      return 128;
    case "ethernet":
      return 48;
    case "decimal":
    case "hexadecimal":
      return bitLength(value);
  }
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
