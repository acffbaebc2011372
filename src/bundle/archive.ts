// Files as a .tar.gz (ustar), which every tar reads.

import { gzipSync } from "node:zlib";
import { invariant } from "../lib/invariant.ts";

const blockBytes = 512;

export interface ArchivedFile {
  /** At most 100 bytes. */
  readonly name: string;
  readonly text: string;
}

/** `seconds`: the time of every file, since 1970. */
export function gzippedTar(files: readonly ArchivedFile[], seconds: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const bytes = Buffer.from(text);
    const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
    return [headerOf(name, bytes.length, seconds), bytes, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

function headerOf(name: string, size: number, seconds: number): Buffer {
  invariant(Buffer.byteLength(name) <= 100, "a name in a bundle is too long");
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0);
  header.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(size, 11)}\0${octal(Math.floor(seconds), 11)}\0`, 124);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
