// What the bytes of an answer say, by its content type: JSON, or protobuf where that was asked for. What can be read as neither is text.

import type { ObjectShape } from "../protobuf/envelope.ts";
import { protobufType, readEvent, readList as readProtobufList, readStatus } from "../protobuf/envelope.ts";
import { FrameSplitter } from "../protobuf/frames.ts";
import { MalformedBytes } from "../../protobuf/wire.ts";
import type { ApiResponse } from "./api.ts";
import { parseAnswer } from "./limits.ts";
import { LineSplitter } from "../../lib/text/line-splitter.ts";
import { readList } from "./list-items.ts";

type Headers = ApiResponse["headers"];

/** Preferred, and what a server has that does not know it. */
export const protobufOrJson = `${protobufType}, application/json`;

function isProtobuf(headers: Headers): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return type.trim().toLowerCase() === protobufType;
}

/** `shape`: of the objects that were asked for as a list; undefined: something else was. */
export function bodyOf(
  { status, headers }: Pick<ApiResponse, "status" | "headers">,
  bytes: Buffer,
  shape?: ObjectShape,
  asList = false,
): Pick<ApiResponse, "body" | "items"> {
  if (bytes.length === 0) return { body: null };
  if (isProtobuf(headers)) return protobufBody(status === 200 && asList ? shape : undefined, bytes);
  if (!asList) return { body: parseAnswer(bytes.toString()) ?? bytes.toString() };
  const { body, items } = readList(bytes) ?? { body: bytes.toString(), items: null };
  return items === null ? { body } : { body, items };
}

function protobufBody(shape: ObjectShape | undefined, bytes: Buffer): Pick<ApiResponse, "body" | "items"> {
  return orElse({ body: null }, () =>
    shape === undefined ? { body: readStatus(bytes) } : readProtobufList(bytes, shape),
  );
}

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedBytes) return otherwise;
    throw error;
  }
}

/** The events of a stream, as its pieces arrive. */
export interface EventSplitter {
  /** Events that this piece completes, undefined for each that cannot be read. */
  push(piece: Buffer): readonly unknown[];
  /** Of the event that is not complete: bytes or characters. */
  readonly pending: number;
}

export function splitterFor(headers: Headers, shape?: ObjectShape): EventSplitter {
  return shape !== undefined && isProtobuf(headers) ? new ProtobufEvents(shape) : new JsonEvents();
}

class JsonEvents implements EventSplitter {
  readonly #lines = new LineSplitter();

  get pending(): number {
    return this.#lines.pending;
  }

  push(piece: Buffer): readonly unknown[] {
    return this.#lines.push(piece).map(parseAnswer);
  }
}

class ProtobufEvents implements EventSplitter {
  readonly #frames = new FrameSplitter();
  readonly #shape: ObjectShape;

  constructor(shape: ObjectShape) {
    this.#shape = shape;
  }

  get pending(): number {
    return this.#frames.pending;
  }

  push(piece: Buffer): readonly unknown[] {
    return this.#frames
      .push(piece)
      .map((frame) => orElse<unknown>(undefined, () => readEvent(frame, this.#shape)));
  }
}
