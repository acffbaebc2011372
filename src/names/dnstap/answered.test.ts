// Which addresses of a response count: those of the asked type that the name's aliases lead to. A judge of its own searches the records
// anew for each.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { recordTypes } from "./dns/response.ts";
import type { WrittenRecord } from "../../../test/support/dns/message.ts";
import { plainResponse, writeMessage } from "../../../test/support/dns/message.ts";
import { messageTypes, tapMessage } from "../../../test/support/dns/tap.ts";
import { MalformedBytes } from "../../protobuf/wire.ts";
import { answered } from "./answered.ts";
import { readResponse } from "./dns/response.ts";
import { clientResponseOf } from "./tapped.ts";

const alias = (owner: string, data: string, ttl = 60): WrittenRecord => ({ owner, type: 5, ttl, data });
const v4 = (owner: string, last: number, ttl = 60): WrittenRecord => ({
  ...{ owner, type: recordTypes.A, ttl },
  data: Buffer.of(192, 0, 2, last),
});
const v6 = (owner: string): WrittenRecord => ({
  ...{ owner, type: recordTypes.AAAA, ttl: 60 },
  data: Buffer.from("20010db8000000000000000000000001", "hex"),
});

interface Parts {
  readonly type?: number;
  readonly flags?: number;
}

function read(
  answers: readonly WrittenRecord[],
  { type = recordTypes.A, flags = plainResponse }: Parts = {},
) {
  const question = { name: "www.example.org", type };
  const message = writeMessage({ flags, question, answers, compressed: true });
  const response = clientResponseOf(tapMessage(messageTypes.clientResponse, message));
  return answered(readResponse(response!));
}

describe("what is learned", () => {
  test("the addresses of the name", () => {
    expect(read([v4("www.example.org", 1), v4("WWW.example.org", 2, 5)])).toEqual({
      ...{ name: "www.example.org", family: "v4", outcome: "answered", alias: null },
      addresses: [
        { ip: "192.0.2.1", ttl: 60 },
        { ip: "192.0.2.2", ttl: 5 },
      ],
    });
  });

  test("those behind its aliases, in any order of the records, with the least TTL of the way", () => {
    const answers = [
      v4("c.example", 1, 50),
      alias("b.example", "c.example", 9),
      alias("www.example.org", "b.example", 70),
    ];
    expect(read(answers)).toMatchObject({ addresses: [{ ip: "192.0.2.1", ttl: 9 }], alias: "b.example" });
  });

  test("nothing of other names, of the other family, nor of additional records", () => {
    expect(read([v4("other.example", 1), alias("x.example", "y.example"), v4("y.example", 2)])).toMatchObject(
      {
        ...{ addresses: [], outcome: "no-data" },
      },
    );
    const both = [v4("www.example.org", 1), v6("www.example.org")];
    expect(read(both)).toMatchObject({ family: "v4", addresses: [{ ip: "192.0.2.1" }] });
    expect(read(both, { type: recordTypes.AAAA })).toMatchObject({
      family: "v6",
      addresses: [{ ip: "2001:db8::1" }],
    });
  });

  test("aliases in a circle lead to what is in it", () => {
    const answers = [
      alias("www.example.org", "b.example"),
      alias("b.example", "www.example.org"),
      v4("b.example", 3),
    ];
    expect(read(answers)).toMatchObject({ addresses: [{ ip: "192.0.2.3" }] });
  });

  test("no alias where the name has other records too: they may be of another name than the alias", () => {
    const one = alias("www.example.org", "b.example");
    for (const other of [v4("www.example.org", 1), alias("www.example.org", "c.example")])
      expect(read([one, v4("b.example", 2), other])).toMatchObject({ outcome: "answered", alias: null });
  });

  test("an alias without its target has no data", () => {
    expect(read([alias("www.example.org", "b.example")])).toMatchObject({ outcome: "no-data" });
  });
});

test.each([
  ["NXDOMAIN", plainResponse | 3, { outcome: "no-such-name", addresses: [] }],
  ["SERVFAIL", plainResponse | 2, { outcome: "failed", addresses: [] }],
])("%s", (_, flags, expected) => {
  expect(read([v4("www.example.org", 1)], { flags })).toMatchObject(expected);
});

test.each([
  ["REFUSED", { flags: plainResponse | 5 }, "other rcode"],
  ["truncated", { flags: plainResponse | 0x0200 }, "truncated"],
  ["a question of another type", { type: 65 }, "other question"],
])("nothing is learned: %s", (_, parts, reason) => {
  expect(read([v4("www.example.org", 1)], parts)).toBe(reason);
});

describe("messages of dnstap", () => {
  const message = writeMessage({
    ...{ flags: plainResponse, question: { name: "a.example", type: 1 }, answers: [], compressed: true },
  });

  test("other than CLIENT_RESPONSE have no response", () => {
    for (const type of [messageTypes.clientQuery, messageTypes.forwarderResponse])
      expect(clientResponseOf(tapMessage(type, message))).toBeNull();
    expect(clientResponseOf(tapMessage(messageTypes.clientResponse, message))).toEqual(message);
  });

  test("cut ones are errors, or say the same", () => {
    const whole = tapMessage(messageTypes.clientResponse, message);
    for (let cut = 0; cut < whole.length; cut++) {
      let read: Buffer | null | string;
      try {
        read = clientResponseOf(whole.subarray(0, cut));
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBytes);
        read = "error";
      }
      expect(read).toBe("error");
    }
  });
});

const names = ["www.example.org", "a.example", "b.example", "c.example"];
const owner = fc.constantFrom(...names);
const records = fc.array(
  fc.oneof(
    fc
      .record({ owner, ttl: fc.integer({ min: 0, max: 9 }), target: owner })
      .map((one) => alias(one.owner, one.target, one.ttl)),
    fc
      .record({ owner, ttl: fc.integer({ min: 0, max: 9 }), last: fc.nat(3) })
      .map((one) => v4(one.owner, one.last, one.ttl)),
  ),
  { maxLength: 10 },
);

/** Whether the name's aliases lead to the other in at most this many steps. */
function leads(answers: readonly WrittenRecord[], from: string, to: string, steps: number): boolean {
  if (from === to) return true;
  return (
    steps > 0 &&
    answers.some(
      ({ owner: of, data }) => of === from && typeof data === "string" && leads(answers, data, to, steps - 1),
    )
  );
}

test("random chains: an address counts exactly if its owner is reached", () => {
  fc.assert(
    fc.property(records, (answers) => {
      const expected = answers.filter(
        ({ owner: of, data }) =>
          typeof data !== "string" && leads(answers, "www.example.org", of, names.length),
      );
      const learned = read(answers);
      expect(typeof learned === "string" ? learned : learned.addresses.map(({ ip }) => ip)).toEqual(
        expected.map(({ data }) => (data as Buffer).join(".")),
      );
    }),
    { numRuns: 500 },
  );
});
