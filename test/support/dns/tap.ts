// Messages of dnstap (dnstap.proto) as CoreDNS writes them, for tests. It knows nothing of the program.

import { delimited, varint } from "../protobuf/encoder.ts";

export const messageTypes = { clientQuery: 5, clientResponse: 6, forwarderResponse: 8 } as const;

const number = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)]);

/** A frame's payload. */
export function tapMessage(type: number, message: Buffer): Buffer {
  const isQuery = type % 2 === 1;
  const inner = Buffer.concat([
    number(1, type),
    number(2, 1),
    number(3, 1),
    delimited(4, Buffer.of(10, 244, 0, 7)),
    number(6, 41_000),
    number(isQuery ? 8 : 12, 1_795_000_000),
    // A fixed32.
    Buffer.concat([varint(((isQuery ? 9 : 13) << 3) | 5), Buffer.alloc(4, 7)]),
    delimited(isQuery ? 10 : 14, message),
  ]);
  return Buffer.concat([delimited(1, Buffer.from("coredns-0")), delimited(14, inner), number(15, 1)]);
}

/** With its length, as it is sent. */
export function dataFrame(payload: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}
