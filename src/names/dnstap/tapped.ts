// One message of dnstap (dnstap.info, dnstap.proto) → the DNS message that a server sent to a client, or why there is none. Only
// CLIENT_RESPONSE has one: what clients ask, and what the server asks others, is passed over without a look at it.

import { bytes, int32, message, shape } from "../../protobuf/fields.ts";
import { decode, isValue } from "../../protobuf/message.ts";
import { MalformedBytes } from "../../protobuf/wire.ts";

const dnstap = shape({
  14: message("message", { 1: int32("type"), 14: bytes("response") }),
  15: int32("type"),
});
/** Of Dnstap.type and of Message.type. */
const messageType = 1;
const clientResponse = 6;

/** null: a message of another type. Throws MalformedBytes. The response is a part of the frame, not a copy. */
export function clientResponseOf(frame: Buffer): Buffer | null {
  const { type, message: inner } = decode(frame, dnstap);
  if (type !== messageType || !isValue(inner)) throw new MalformedBytes("a frame has no message of dnstap");
  if (inner["type"] !== clientResponse) return null;
  const response = inner["response"];
  if (!Buffer.isBuffer(response)) throw new MalformedBytes("a response has no DNS message");
  return response;
}
