// The messages of a byte stream as JSON values. A long message is parsed piece by piece while it arrives, so that no turn
// of the event loop parses all of it, and its text is never held whole. What is not JSON is refused.
// Invariant: the value is that of the whole text, or the message is refused.

import { ProtocolError } from "../notation/errors.ts";
import { MessageSplitter, type Piece } from "./framing.ts";

export interface Message {
  readonly value: unknown;
  /** Bytes of its text. */
  readonly length: number;
}

/** A piece takes some milliseconds to parse. Updates of up to some 500 rows are one piece. */
const defaultPieceBytes = 1 << 18;

/**
 * Names of members that complete a piece: the first one of an object that an earlier piece opened, and the last one of the
 * innermost object that a later piece continues. No table, column or uuid has such a name (RFC 7047 section 3.1 <id>): a
 * peer that sends one sends no update.
 */
const continued = "(continued)";
const cut = "(cut)";

type Container = unknown[] | Record<string, unknown>;

export class MessageReader {
  readonly #splitter: MessageSplitter;
  /** What earlier pieces of the unfinished message have left open, from the outermost in. */
  #open: readonly Container[] = [];
  #pieces = 0;

  /** As MessageSplitter. */
  constructor(maxBytes: number, pieceBytes = defaultPieceBytes) {
    this.#splitter = new MessageSplitter(maxBytes, pieceBytes);
  }

  /** Messages completed so far. */
  get messages(): number {
    return this.#splitter.messages;
  }

  /** Bytes of the message that is not complete yet. */
  get unfinished(): number {
    return this.#splitter.unfinished;
  }

  /** Pieces of long messages parsed so far. */
  get pieces(): number {
    return this.#pieces;
  }

  /** Takes the stream's next bytes and returns the messages they complete. Throws ProtocolError; unusable after that. */
  push(chunk: Buffer): readonly Message[] {
    return this.#splitter.push(chunk).flatMap((piece) => {
      const value = piece.before === "" && piece.after === "" ? parse(piece.text) : this.#join(piece);
      return piece.after === "" ? [{ value, length: piece.length }] : [];
    });
  }

  /** The part of the message that has arrived. */
  #join({ text, before, after }: Piece): unknown {
    this.#pieces++;
    const value = parse(opened(before) + text + closed(after));
    const inside = cutIn(value, after.length);
    const parts = partsOf(value, before.length);
    const earlier = this.#open;
    for (const [at, container] of earlier.entries()) extend(container, parts[at] ?? []);
    this.#open = inside.map((container, at) =>
      container === parts[at] ? (earlier[at] ?? container) : container,
    );
    return earlier[0] ?? value;
  }
}

/** Opens containers again; the first element of each is the next one, of the last one a placeholder. */
function opened(brackets: string): string {
  if (brackets === "") return "";
  const texts = Array.from(brackets, (bracket) => (bracket === "{" ? `{"${continued}":` : "["));
  return `${texts.join("")}0`;
}

/** A last element that marks the innermost container, and the closing brackets of all. */
function closed(brackets: string): string {
  if (brackets === "") return "";
  const mark = brackets.endsWith("{") ? `,"${cut}":"${cut}"` : `,"${cut}"`;
  return (
    mark +
    Array.from(brackets, (bracket) => (bracket === "{" ? "}" : "]"))
      .reverse()
      .join("")
  );
}

/** The containers that are open where a piece is cut, from the outermost in; takes the mark from the innermost. */
function cutIn(piece: unknown, depth: number): readonly Container[] {
  const found: Container[] = [];
  for (let inner = piece; found.length < depth; inner = lastOf(inner)) found.push(containerOf(inner));
  const innermost = found.at(-1);
  if (innermost !== undefined && takeMark(innermost) !== cut) throw unclear();
  return found;
}

/** What a piece holds of the containers that it continues, from the outermost in. */
function partsOf(piece: unknown, depth: number): readonly Container[] {
  const found: Container[] = [];
  for (let inner = piece; found.length < depth; inner = firstOf(inner)) found.push(containerOf(inner));
  return found;
}

function takeMark(container: Container): unknown {
  if (Array.isArray(container)) return container.pop();
  const mark = container[cut];
  Reflect.deleteProperty(container, cut);
  return mark;
}

function firstOf(value: unknown): unknown {
  const container = containerOf(value);
  return Array.isArray(container) ? container[0] : container[continued];
}

function lastOf(value: unknown): unknown {
  const container = containerOf(value);
  return Array.isArray(container) ? container.at(-1) : container[Object.keys(container).at(-1) ?? ""];
}

/** Adds the elements of `part` but for the first, which is `container` itself or a placeholder. */
function extend(container: Container, part: Container): void {
  if (Array.isArray(container)) {
    for (const element of Array.isArray(part) ? part.slice(1) : []) container.push(element);
    return;
  }
  for (const [name, value] of Object.entries(part)) {
    if (name === continued) continue;
    // A plain assignment would change the object's prototype.
    if (name === "__proto__") throw new ProtocolError("a long message has a member __proto__");
    container[name] = value;
  }
}

function containerOf(value: unknown): Container {
  if (isContainer(value)) return value;
  throw unclear();
}

/** Members of one name, or names that are numbers, which JavaScript puts into another order. */
function unclear(): ProtocolError {
  return new ProtocolError("the members of a long message cannot be told apart");
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProtocolError(`a message is not JSON: ${text.slice(0, 80)}`, { cause: error });
  }
}
