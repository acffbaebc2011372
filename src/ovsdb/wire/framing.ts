// Cuts the byte stream of a connection into JSON texts. OVSDB puts nothing between messages, so a message ends where
// its outermost brace closes. A long message may be cut into pieces, so that no reader has to work on all of it at once.
// Every byte is read once, however the stream is chunked; a chunk may end inside a character. Anything but an object at
// the top is refused, and so is what is nested too deeply or too long: what follows could not be trusted, and every later
// reader of a message may recurse.

import { isAscii, isUtf8 } from "node:buffer";
import { ProtocolError } from "../notation/errors.ts";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The deepest nesting of objects and arrays that a message may have. Those of RFC 7047 need 12 (an enumeration in a
 * schema); deeper ones would exhaust the stack of what reads them.
 */
export const maxNesting = 100;

/**
 * The deepest level in which a message is cut. Of an update it is the level of the rows: the message, its params, the
 * tables, one table (RFC 7047 section 4.1.6). The results of a transaction are at a higher level.
 */
const cutDepth = 4;

/** A whole message, or a piece of one, which ends just after an inner value. */
export interface Piece {
  readonly text: string;
  /** The objects and arrays, as their opening brackets from the outermost in, that an earlier piece has opened. */
  readonly before: string;
  /** Those that a later piece closes; "" at the message's end. */
  readonly after: string;
  /** Bytes of the message, up to the end of this piece. */
  readonly length: number;
}

export class MessageSplitter {
  readonly #maxBytes: number;
  readonly #pieceBytes: number;
  // The unfinished message: whole chunks, joined once when it ends. ASCII chunks, which nearly all are, are decoded at
  // once, so that less work is left when a large message is complete.
  #parts: (string | Buffer)[] = [];
  #partBytes = 0;
  /** Bytes of the unfinished message that were given away in pieces, and what was open after the last of them. */
  #cutBytes = 0;
  #before = "";
  /** The opening brackets of the levels that may be cut, by depth. */
  readonly #open = new Uint8Array(cutDepth + 1);
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last byte read ends a message or a piece. */
  #isDone = false;
  #scanned = 0;
  #messages = 0;

  /**
   * `maxBytes`: the longest message that is accepted, in bytes. A message is cut at the first place behind so many
   * `pieceBytes` at which a value ends that is not deeper than a row of an update; never, unless given.
   */
  constructor(maxBytes: number, pieceBytes = Infinity) {
    this.#maxBytes = maxBytes;
    this.#pieceBytes = pieceBytes;
  }

  /** Bytes read so far; equals the bytes pushed, so that the cost is linear. */
  get scanned(): number {
    return this.#scanned;
  }

  /** Messages completed so far. */
  get messages(): number {
    return this.#messages;
  }

  /** Bytes of the message that is not complete yet. */
  get unfinished(): number {
    return this.#cutBytes + this.#partBytes;
  }

  /** Takes the stream's next bytes and returns what they complete. Throws ProtocolError; unusable after that. */
  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let start = 0;
    while (start < chunk.length) {
      if (this.#depth === 0) {
        start = this.#skipSpace(chunk, start);
        if (start === chunk.length) break;
      }
      const end = this.#scan(chunk, start);
      this.#keep(chunk.subarray(start, end));
      if (this.#isDone) pieces.push(this.#take());
      start = end;
    }
    return pieces;
  }

  /** Where the next message begins, or the chunk's length. */
  #skipSpace(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === openBrace) return at;
      this.#scanned++;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        const seen = JSON.stringify(chunk.toString("latin1", at, at + 20));
        throw new ProtocolError(`the peer does not speak JSON-RPC: expected "{" and got ${seen}`);
      }
    }
    return chunk.length;
  }

  /** Advances to just after the bracket that ends the message or a piece of it, or to the chunk's end. */
  #scan(chunk: Buffer, from: number): number {
    let depth = this.#depth;
    let at = from;
    let isDone = false;
    const cutFrom = from + this.#pieceBytes - this.#partBytes;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at++];
      if (byte === quote) this.#inString = true;
      else if (byte === openBrace || byte === openBracket) {
        this.#opened(++depth, byte);
      } else if (byte === closeBrace || byte === closeBracket) {
        if (--depth <= cutDepth && (depth === 0 || at >= cutFrom)) {
          isDone = true;
          break;
        }
      }
    }
    this.#depth = depth;
    this.#isDone = isDone;
    this.#scanned += at - from;
    return at;
  }

  /** Advances to just after the quote that ends the string, or to the chunk's end. Reads nearly every byte that arrives. */
  #skipString(chunk: Buffer, from: number): number {
    let at = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    while (at < chunk.length) {
      const byte = chunk[at++];
      if (byte === backslash) {
        this.#escaped = at === chunk.length;
        at++;
      } else if (byte === quote) {
        this.#inString = false;
        return at;
      }
    }
    return chunk.length;
  }

  #opened(depth: number, bracket: number): void {
    if (depth > maxNesting) throw new ProtocolError(`a message is nested deeper than ${maxNesting}`);
    if (depth <= cutDepth) this.#open[depth] = bracket;
  }

  #keep(part: Buffer): void {
    this.#parts.push(isAscii(part) ? part.toString("latin1") : part);
    this.#partBytes += part.length;
    if (this.unfinished > this.#maxBytes) {
      throw new ProtocolError(`a message is longer than ${this.#maxBytes} bytes`);
    }
  }

  #take(): Piece {
    const text = this.#text();
    const length = this.unfinished;
    const before = this.#before;
    const isEnd = this.#depth === 0;
    const after = isEnd ? "" : String.fromCharCode(...this.#open.subarray(1, this.#depth + 1));
    this.#parts = [];
    this.#partBytes = 0;
    this.#cutBytes = isEnd ? 0 : length;
    this.#before = after;
    if (isEnd) this.#messages++;
    return { text, before, after, length };
  }

  #text(): string {
    const parts = this.#parts;
    if (parts.every((part) => typeof part === "string")) return parts.join("");
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
    );
    if (!isUtf8(bytes)) throw new ProtocolError("a message is not UTF-8");
    return bytes.toString("utf8");
  }
}
