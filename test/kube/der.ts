// The few ASN.1 types of an X.509 certificate, written in DER. Refuses nothing: it only encodes. Equal values give equal
// bytes, as DER demands.

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tlv(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => tlv(0x04, content);
export const text = (value: string): Buffer => tlv(0x0c, Buffer.from(value, "utf8"));
export const yes = (): Buffer => tlv(0x01, Buffer.from([0xff]));
/** A context tag around a whole value. */
export const explicit = (number: number, content: Uint8Array): Buffer => tlv(0xa0 + number, content);

/** A non-negative number given as its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Buffer.from([0]) : bytes.subarray(start);
  const negative = ((digits[0] ?? 0) & 0x80) !== 0;
  return tlv(0x02, ...(negative ? [Buffer.from([0])] : []), digits);
}

/** Whole bytes, unless the last one has bits to leave out. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tlv(0x03, Buffer.from([unused]), content);
}

/** An object identifier: "2.5.4.3". */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime before 2050 and GeneralizedTime after, as X.509 wants it. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  const year = date.getUTCFullYear();
  return year < 2050 ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const digits: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff);
  return Buffer.from([0x80 | digits.length, ...digits]);
}
