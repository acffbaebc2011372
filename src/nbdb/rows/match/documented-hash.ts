// The hash of texts that OVN-Kubernetes documents for names of rows. Never changed: rows in databases have names by it.

/** FNV-1a-64 of the text's UTF-8 bytes, in decimal: what OVN-Kubernetes documents. */
export function documentedHash(text: string): string {
  return fnv1a64(utf8.encode(text));
}

/** FNV-1a-32 of the text's UTF-8 bytes: the number of a Sample in OVN-Kubernetes. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  // `imul` is the product's last 32 bits, signed.
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x0100_0193);
  return hash >>> 0;
}

const utf8 = new TextEncoder();

/**
 * FNV-1a, 64 bits, in two halves of 32 so that no product leaves the exact integers of a double.
 * The prime 0x100000001b3 is 2^40 + 0x1b3.
 */
function fnv1a64(bytes: Uint8Array): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    // `>>> 0` is the remainder by 2^32, and quicker than `%`.
    high = (high * 0x1b3 + Math.floor(product / 0x1_0000_0000) + low * 0x100) >>> 0;
    low = product >>> 0;
  }
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}
