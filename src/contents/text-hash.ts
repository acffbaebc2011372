// Texts as parts of names: hashes of users' texts, which may hold any character. Never changed: what backends have written has
// names by them.

import { createHash } from "node:crypto";

/**
 * The first 128 bits of SHA-256, in hexadecimal digits: where two texts with one name would share a row. Nobody can look for a
 * second text with the name of the first.
 */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
