// OpenFlow 1.3.5 (ONF TS-023) as far as counting needs it: the frame of a message, the role of a connection, and the request for the
// flow entries of one cookie. A message that is cut or whose lengths contradict each other is refused; nothing is read past its end.

/** OpenFlow 1.3. */
export const version = 4;

/** Section 7.1: ofp_type. */
export const types = {
  ...{ hello: 0, error: 1, echoRequest: 2, echoReply: 3, flowMod: 14 },
  ...{ multipartRequest: 18, multipartReply: 19, roleRequest: 24, roleReply: 25 },
} as const;

/** Section 7.3.9: ofp_controller_role. */
export const roles = { noChange: 0, slave: 3 } as const;

export interface Message {
  readonly version: number;
  readonly type: number;
  /** An answer has that of its request. */
  readonly xid: number;
  readonly body: Buffer;
}

/** What the switch has sent is no OpenFlow. */
export class OpenFlowError extends Error {
  override readonly name: string = "OpenFlowError";
}

const headerBytes = 8;
/** ofp_multipart_request and its reply: type, flags, padding. */
const multipartBytes = 8;
const ofFlows = 1;
const moreFollows = 1;
/** ofp_flow_stats before its match. */
const flowBytes = 48;
const everyTable = 0xff;
/** OFPP_ANY and OFPG_ANY. */
const any = 0xffffffff;

export function messageOf(type: number, xid: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(version, 0);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(headerBytes + body.length, 2);
  header.writeUInt32BE(xid, 4);
  return Buffer.concat([header, body]);
}

/** Puts messages together from what a socket gives. Holds less than one message between calls. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Throws OpenFlowError. */
  read(chunk: Buffer): readonly Message[] {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    while (rest.length >= headerBytes) {
      const length = rest.readUInt16BE(2);
      if (length < headerBytes) throw new OpenFlowError(`a message of ${length} bytes`);
      if (rest.length < length) break;
      messages.push({
        ...{ version: rest.readUInt8(0), type: rest.readUInt8(1), xid: rest.readUInt32BE(4) },
        body: rest.subarray(headerBytes, length),
      });
      rest = rest.subarray(length);
    }
    this.#rest = rest;
    return messages;
  }
}

/** Section 7.3.9. `generation`: as `generationOf` gives it. */
export function roleBody(role: number, generation: bigint): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt32BE(role, 0);
  body.writeBigUInt64BE(generation, 8);
  return body;
}

/** The number of the last election of a master, which a request for a role must not fall behind; 0 where there was none. */
export function generationOf(reply: Buffer): bigint {
  if (reply.length < 16) throw new OpenFlowError("an answer about the role that is cut");
  const generation = reply.readBigUInt64BE(8);
  return generation === 0xffff_ffff_ffff_ffffn ? 0n : generation;
}

/** The flow entries of all tables that have exactly this cookie. */
export function flowsBody(cookie: number): Buffer {
  const body = Buffer.alloc(multipartBytes + 40);
  body.writeUInt16BE(ofFlows, 0);
  const request = body.subarray(multipartBytes);
  request.writeUInt8(everyTable, 0);
  request.writeUInt32BE(any, 4);
  request.writeUInt32BE(any, 8);
  request.writeBigUInt64BE(BigInt(cookie), 16);
  request.writeBigUInt64BE(0xffff_ffff_ffff_ffffn, 24);
  // A match without fields, type OFPMT_OXM.
  request.writeUInt16BE(1, 32);
  request.writeUInt16BE(4, 34);
  return body;
}

/** A flow entry of the switch, with its counts. */
export interface FlowEntry {
  readonly cookie: number;
  readonly table: number;
  readonly priority: number;
  /** Its match, as bytes in hexadecimal: with table and priority it tells entries of a switch apart. */
  readonly match: string;
  /** Milliseconds since the switch has had it. */
  readonly ageMs: number;
  readonly packets: number;
  readonly bytes: number;
}

export interface FlowsReply {
  readonly entries: readonly FlowEntry[];
  /** False: another message of the same xid follows. */
  readonly isLast: boolean;
}

/** Throws OpenFlowError. */
export function flowsReply(body: Buffer): FlowsReply {
  if (body.length < multipartBytes || body.readUInt16BE(0) !== ofFlows)
    throw new OpenFlowError("an answer that is not about flows");
  const entries: FlowEntry[] = [];
  for (let rest = body.subarray(multipartBytes); rest.length > 0;) {
    const length = rest.length < 2 ? 0 : rest.readUInt16BE(0);
    if (length < flowBytes + 4 || length > rest.length) throw new OpenFlowError("a flow entry that is cut");
    entries.push(entryOf(rest.subarray(0, length)));
    rest = rest.subarray(length);
  }
  return { entries, isLast: (body.readUInt16BE(2) & moreFollows) === 0 };
}

function entryOf(entry: Buffer): FlowEntry {
  const matchEnd = flowBytes + entry.readUInt16BE(flowBytes + 2);
  if (matchEnd > entry.length) throw new OpenFlowError("a match that is longer than its flow entry");
  return {
    table: entry.readUInt8(2),
    ageMs: entry.readUInt32BE(4) * 1000 + entry.readUInt32BE(8) / 1e6,
    priority: entry.readUInt16BE(12),
    cookie: Number(entry.readBigUInt64BE(24)),
    packets: Number(entry.readBigUInt64BE(32)),
    bytes: Number(entry.readBigUInt64BE(40)),
    match: entry.toString("hex", flowBytes, matchEnd),
  };
}
