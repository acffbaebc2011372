// IP addresses and networks as canonical text: equal address, equal string. The text is what Go's net package prints
// (lower-case, longest zero run compressed, IPv4-mapped as dotted quad), because the documented rows carry it.

import ipaddr from "ipaddr.js";

export type IpFamily = "v4" | "v6";
/** For people. */
export const familyNames = { v4: "IPv4", v6: "IPv6" } as const satisfies Readonly<Record<IpFamily, string>>;
/** In the order in which everything lists them. */
export const ipFamilies: readonly IpFamily[] = ["v4", "v6"];

/** Canonical text of one address, without a prefix length. */
export type IpAddress = string & { readonly __brand: "IpAddress" };

/** Canonical text of one network: masked address, "/", prefix length. */
export type Cidr = string & { readonly __brand: "Cidr" };

const octet = /^\d{1,3}$/;
const strictOctet = /^(0|[1-9]\d{0,2})$/;
const prefixLength = /^(0|[1-9]\d{0,2})$/;
const ipv6Text = /^[0-9a-fA-F:]+$/;
const dottedQuadTail = /^(.*:)([\d.]+)$/;

function parseV4(text: string, octetForm: RegExp): ipaddr.IPv4 | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => octetForm.test(part) && Number(part) <= 255)) return null;
  return new ipaddr.IPv4(parts.map(Number));
}

function parseV6(text: string): ipaddr.IPv6 | null {
  const groups = text.includes(".") ? withoutDottedQuad(text) : text;
  if (groups === null || !ipv6Text.test(groups) || !ipaddr.IPv6.isValid(groups)) return null;
  return ipaddr.IPv6.parse(groups);
}

/** Spells the dotted tail of `::1.2.3.4` in groups, because ipaddr.js would read it as `::ffff:1.2.3.4`. */
function withoutDottedQuad(text: string): string | null {
  const [, head, tail] = dottedQuadTail.exec(text) ?? [];
  const quad = tail === undefined ? null : parseV4(tail, octet);
  if (head === undefined || quad === null) return null;
  return head + quad.toIPv4MappedAddress().toNormalizedString().split(":").slice(-2).join(":");
}

function textOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())
    return address.toIPv4Address().toString();
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/**
 * An address as the Kubernetes API stores it; null when the text is not an address. Leading zeros in IPv4 octets are
 * read as decimal, as the API server's own lenient parser does; zones (`%eth0`) are refused.
 */
export function parseIp(text: string): IpAddress | null {
  const address = text.includes(":") ? parseV6(text) : parseV4(text, octet);
  return address === null ? null : (textOf(address) as IpAddress);
}

/**
 * A network in CIDR notation, read strictly (no leading zeros, no IPv4-mapped IPv6) with its host bits cleared; null
 * when the text is not a network. The API's CEL rule `isCIDR` refuses the same.
 */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf("/");
  const length = text.slice(slash + 1);
  if (slash < 0 || !prefixLength.test(length)) return null;
  const address = text.slice(0, slash);
  const bits = Number(length);
  if (address.includes(":")) {
    const v6 = parseV6(address);
    if (v6 === null || v6.isIPv4MappedAddress() || address.includes(".") || bits > 128) return null;
    return networkOf(masked(v6.toByteArray(), bits), bits);
  }
  const v4 = parseV4(address, strictOctet);
  if (v4 === null || bits > 32) return null;
  return networkOf(masked(v4.toByteArray(), bits), bits);
}

/** The address bytes with all bits after the prefix cleared. */
function masked(bytes: readonly number[], prefix: number): readonly number[] {
  return bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * at))));
}

/**
 * The canonical network of these address bytes, 4 or 16 in network order, with host bits of zero. IPv4-mapped bytes
 * stay IPv6: they are part of a larger IPv6 network, not an address.
 */
export function networkOf(bytes: readonly number[], length: number): Cidr {
  const text = bytes.length === 4 ? bytes.join(".") : new ipaddr.IPv6([...bytes]).toRFC5952String();
  return `${text}/${length}` as Cidr;
}

/** The family of canonical text. An IPv4-mapped address is printed as a dotted quad and so counts as v4. */
export function familyOf(address: IpAddress | Cidr): IpFamily {
  return address.includes(":") ? "v6" : "v4";
}

/** The network that holds every address of a family. */
export function everyAddress(family: IpFamily): Cidr {
  return (family === "v4" ? "0.0.0.0/0" : "::/0") as Cidr;
}
