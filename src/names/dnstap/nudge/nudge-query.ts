// A question of DNS over TCP that is as long as the buffer in which CoreDNS collects what it sends by dnstap: padded by EDNS (RFC 7830).
// The tap of the question fills the buffer, so that everything before it is sent.

/** Of Go's bufio.Writer, in which github.com/farsightsec/golang-framestream writes. */
const bufferBytes = 4096;
const types = { A: 1, OPT: 41 };
const internet = 1;
const paddingOption = 12;
/** What an answer over UDP could have; over TCP it means nothing. */
const udpBytes = 1232;
const mostLabelBytes = 63;

/** With its length before it. `name`: one that the server itself answers. Throws RangeError when it is no name. */
export function nudgeQuery(name: string): Buffer {
  const question = Buffer.concat([nameBytes(name), numbers(types.A, internet)]);
  const option = Buffer.concat([numbers(paddingOption, bufferBytes), Buffer.alloc(bufferBytes)]);
  // The root, and instead of a TTL the version and flags of EDNS.
  const padding = Buffer.concat([Buffer.of(0), numbers(types.OPT, udpBytes, 0, 0, option.length), option]);
  const head = numbers(0, 0, 1, 0, 0, 1);
  const message = Buffer.concat([head, question, padding]);
  return Buffer.concat([numbers(message.length), message]);
}

function nameBytes(name: string): Buffer {
  const labels = name.replace(/\.$/, "").split(".");
  if (labels.some((label) => label === "" || label.length > mostLabelBytes))
    throw new RangeError("a name to ask for has an empty label, or one of more than 63 bytes");
  const parts = labels.map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, "latin1")]));
  return Buffer.concat([...parts, Buffer.of(0)]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, 2 * at);
  return bytes;
}
