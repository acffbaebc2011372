// Whatever datagrams and answers of a switch come, the readers of both formats answer: with records, or by counting what they could
// not read. What is kept stays bounded. See inputs.test.ts.

import { expect, test } from "@jest/globals";
import { IpfixParser, limits, noCounts } from "../../src/observe/ipfix/parser.ts";
import { sampledPacket } from "../../src/observe/ipfix/sampled-packet.ts";
import {
  flowsReply,
  generationOf,
  MessageReader,
  OpenFlowError,
} from "../../src/observe/openflow/messages.ts";
import { patience } from "../support/patience.ts";
import { fuzz, runs } from "./fuzz.ts";
import { captured } from "../observe/captured.ts";

test(
  "IPFIX",
  async () => {
    const counts = noCounts();
    let parser = new IpfixParser(counts);
    for (const message of captured) parser.read(message);
    let messages = 0;
    const untouched = await fuzz(
      "IPFIX",
      /src\/observe\/ipfix\/(parser|records|sampled-packet)/,
      captured,
      (input, draw) => {
        // One of many is the first of a sender.
        if (draw(100) === 0) parser = new IpfixParser(counts);
        messages = counts.messages;
        for (const record of parser.read(input)) {
          for (const field of record.fields.values())
            expect(field.length).toBeLessThanOrEqual(input.length + limits.waitingBytes);
          sampledPacket(record);
        }
        expect(counts.messages).toBe(messages + 1);
        const { domains, templates, waiting } = parser.kept;
        expect(domains).toBeLessThanOrEqual(limits.domains);
        expect(templates).toBeLessThanOrEqual(limits.templates);
        expect(waiting).toBeLessThanOrEqual(limits.waitingSets);
      },
      runs,
    );
    expect(untouched).toEqual([]);
    expect(counts.records).toBeGreaterThan(0);
    expect(counts.malformed).toBeGreaterThan(0);
  },
  patience(120_000),
);

test(
  "OpenFlow",
  async () => {
    const entry = Buffer.from(
      "0038000000000003000003e803e900000000000000000000000000000000000d0000000000000007000000000000017a0001000400000000",
      "hex",
    );
    const reply = Buffer.concat([Buffer.from("0001000000000000", "hex"), entry, entry]);
    const framed = Buffer.concat([Buffer.from("041300780000000a", "hex"), reply]);
    let read = 0;
    const untouched = await fuzz(
      "OpenFlow",
      /src\/observe\/openflow\/messages/,
      [reply, framed],
      (input) => {
        for (const one of [flowsReply, generationOf, (bytes: Buffer) => new MessageReader().read(bytes)])
          try {
            one(input);
            read++;
          } catch (error) {
            if (!(error instanceof OpenFlowError)) throw error;
          }
      },
      runs / 2,
    );
    // Those that write are not asked.
    expect(untouched.filter((name) => !/messageOf|roleBody|flowsBody/.test(name))).toEqual([]);
    expect(read).toBeGreaterThan(0);
  },
  patience(120_000),
);
