// The receiving end of dnstap's streams: the handshake, every fault, and that the cut of the bytes into pieces changes nothing.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ControlType } from "./control-frame.ts";
import { controlFrame, controlTypes, readControlFrame } from "./control-frame.ts";
import { mostFrameBytes } from "./frame-splitter.ts";
import type { Progress } from "./tap-stream.ts";
import { dnstapType, TapStream } from "./tap-stream.ts";

const control = (type: ControlType, ...contentTypes: readonly string[]) =>
  controlFrame({ type, contentTypes });
const length = (value: number) => Buffer.from(value.toString(16).padStart(8, "0"), "hex");
const data = (payload: string | Buffer) =>
  Buffer.concat([length(Buffer.from(payload).length), Buffer.from(payload)]);
const ready = control("ready", dnstapType);
const start = control("start", dnstapType);
const stop = control("stop");
const begun = Buffer.concat([ready, start]);

function read(...pieces: readonly Buffer[]) {
  const stream = new TapStream();
  const steps = pieces.map((piece) => stream.push(piece));
  return {
    stream,
    messages: steps.flatMap(({ messages }) => messages.map(String)),
    reply: Buffer.concat(steps.flatMap(({ reply }) => reply ?? [])),
    end: steps.at(-1)?.end ?? null,
  };
}

describe("the handshake", () => {
  test("READY is answered with ACCEPT, START with nothing, and STOP with FINISH", () => {
    const stream = new TapStream();
    const replies = [ready, start, data("one"), data("two"), stop].map((piece) => stream.push(piece));
    expect(replies.map(({ reply }) => reply)).toEqual([
      control("accept", dnstapType),
      ...[null, null, null],
      control("finish"),
    ]);
    expect(replies.map(({ end }) => end)).toEqual([null, null, null, null, "finished"]);
    expect(replies.flatMap(({ messages }) => messages.map(String))).toEqual(["one", "two"]);
    expect(stream.push(data("three"))).toEqual({ messages: [], reply: null, end: "finished" });
  });

  test("is the one that fstrm writes", () => {
    // From control.h: an escape of 0, the length, the type, and the field 1 with its length.
    const name = Buffer.from(dnstapType).toString("hex");
    expect(control("accept", dnstapType).toString("hex")).toBe(
      `0000000000000022000000010000000100000016${name}`,
    );
    expect(control("finish").toString("hex")).toBe("000000000000000400000005");
  });

  test("waits until START, and then only within a frame", () => {
    const stream = new TapStream();
    const isWaiting = [ready, start, data("xy").subarray(0, 2), data("xy").subarray(2, 5), Buffer.from("y")];
    expect(
      isWaiting.map((piece) => {
        stream.push(piece);
        return stream.isWaiting;
      }),
    ).toEqual([true, false, true, true, false]);
  });

  test("one of several content types is taken", () => {
    expect(read(control("ready", "text/plain", dnstapType)).reply).toEqual(control("accept", dnstapType));
  });
});

describe("faults", () => {
  const cases: readonly (readonly [string, readonly Buffer[], Progress["end"]])[] = [
    ["data before READY", [data("x")], "data before the start"],
    ["data before START", [ready, data("x")], "data before the start"],
    ["START first, as a unidirectional stream has it", [start], "control frame out of order"],
    ["READY twice", [ready, ready], "control frame out of order"],
    ["START twice", [begun, start], "control frame out of order"],
    ["STOP before START", [ready, stop], "control frame out of order"],
    ["ACCEPT from a sender", [control("accept", dnstapType)], "control frame out of order"],
    ["FINISH from a sender", [begun, control("finish")], "control frame out of order"],
    ["another type in READY", [control("ready", "protobuf:other")], "other content type"],
    ["no type in READY", [control("ready")], "other content type"],
    ["another type in START", [ready, control("start", "protobuf:other")], "other content type"],
    ["two types in START", [ready, control("start", dnstapType, dnstapType)], "other content type"],
    ["a long frame", [begun, length(mostFrameBytes + 1)], "frame too long"],
    ["HTTP", [Buffer.from("GET / HTTP/1.1\r\n\r\n")], "frame too long"],
    ["a long control frame", [Buffer.concat([length(0), length(513)])], "control frame too long"],
    ["an empty control frame", [Buffer.concat([length(0), length(0)])], "control frame malformed"],
    [
      "a short control frame",
      [Buffer.concat([length(0), length(3), Buffer.alloc(3)])],
      "control frame malformed",
    ],
    [
      "an unknown control type",
      [Buffer.concat([length(0), length(4), length(9)])],
      "control frame malformed",
    ],
  ];
  test.each(cases)("%s", (_, pieces, end) => {
    const { stream, messages, ...rest } = read(...pieces);
    expect({ messages, end: rest.end }).toEqual({ messages: [], end });
    expect(stream.push(begun)).toEqual({ messages: [], reply: null, end });
  });

  test("a frame of the greatest length is read, and what came before a fault", () => {
    const longest = Buffer.alloc(mostFrameBytes, "a");
    const { messages, end } = read(
      begun,
      data(longest),
      Buffer.concat([data("b"), length(mostFrameBytes + 1)]),
    );
    expect(messages).toEqual([longest.toString(), "b"]);
    expect(end).toBe("frame too long");
  });

  test("a control frame whose fields do not fit has no meaning", () => {
    const payload = control("ready", dnstapType).subarray(8);
    for (let cut = 0; cut < payload.length; cut++)
      expect(readControlFrame(payload.subarray(0, cut)) === null).toBe(cut !== 4);
    const otherField = Buffer.from(payload);
    otherField.writeUInt32BE(2, 4);
    expect(readControlFrame(otherField)).toBeNull();
    const longType = control("ready", "x".repeat(257)).subarray(8);
    expect(readControlFrame(longType)).toBeNull();
  });
});

/** Parts of streams, most of them in the right order. */
const parts = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }).map((one) => data(Buffer.from(one))),
    },
    fc
      .tuple(
        fc.constantFrom(...(Object.keys(controlTypes) as ControlType[])),
        fc.array(fc.constantFrom(dnstapType, "other"), { maxLength: 2 }),
      )
      .map(([type, types]) => control(type, ...types)),
    fc.uint8Array({ maxLength: 12 }).map((one) => Buffer.from(one)),
  ),
  { maxLength: 12 },
);
const streams = fc
  .tuple(fc.boolean(), parts)
  .map(([begins, others]) => Buffer.concat(begins ? [begun, ...others] : others));

function outcome(pieces: readonly Buffer[]) {
  const { messages, reply, end } = read(...pieces);
  return { messages, reply, end };
}

test("any cut of the bytes gives the same messages, replies and end", () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(30), { maxLength: 60 }), (bytes, cuts) => {
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      pieces.push(bytes.subarray(at));
      expect(outcome(pieces)).toEqual(outcome([bytes]));
    }),
    { numRuns: 1000 },
  );
});
