// What is sent smaller: what is long, to clients that read it, once for each content.

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { Compressor } from "./compress.ts";

const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, at) => `pod-${at}`)));
const reply = { status: 200, body, tag: '"1"' };

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["gzip;q=1.0, br;q=0", "gzip"],
  ["GZIP", "gzip"],
  ["br;q=0.000, gzip ; q=0", undefined],
  ["identity", undefined],
  ["brotli, x-gzip", undefined],
  ["", undefined],
])("Accept-Encoding %j: %s", async (accepted, encoding) => {
  const sent = await new Compressor().of(reply, accepted);
  expect([sent.encoding, sent.vary, sent.tag]).toEqual([encoding, "accept-encoding", '"1"']);
  const read = { br: brotliDecompressSync, gzip: gunzipSync };
  const whole = encoding === undefined ? sent.body : read[encoding as "br" | "gzip"](sent.body);
  expect(whole.toString()).toBe(body.toString());
  if (encoding !== undefined) expect(sent.body.length).toBeLessThan(body.length / 2);
});

test("a content is compressed once; what one packet holds is sent as it is", async () => {
  const compressor = new Compressor();
  const [one, other] = await Promise.all([compressor.of(reply, "br"), compressor.of({ ...reply }, "br")]);
  expect(one.body).toBe(other.body);
  const short = { status: 200, body: Buffer.alloc(1_000) };
  expect(await compressor.of(short, "br")).toBe(short);
});
