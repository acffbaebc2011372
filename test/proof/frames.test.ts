// Checksums against published values, and of every frame by adding it up the way its receiver does.

import { describe, expect, test } from "@jest/globals";
import { ip } from "../support/facts.ts";
import type { FrameSpec } from "./frames.ts";
import { crc32c, frameOf, identityOf, internetChecksum } from "./frames.ts";

const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

const specs: Readonly<Record<"v4" | "v6", Omit<FrameSpec, "protocol">>> = {
  v4: {
    sourceMac: "0a:58:0a:00:00:10",
    destinationMac: "0a:58:0a:00:00:11",
    source: ip("10.0.0.16"),
    destination: ip("10.0.0.17"),
    sourcePort: 40000,
    port: 8080,
  },
  v6: {
    sourceMac: "0a:58:0a:00:00:10",
    destinationMac: "0a:58:0a:00:00:11",
    source: ip("fd00::10"),
    destination: ip("2001:db8::1"),
    sourcePort: 40000,
    port: 8080,
  },
};

describe("checksums", () => {
  test("RFC 1071 section 3, and an IPv4 header", () => {
    expect(internetChecksum(bytes("0001 f203 f4f5 f6f7"))).toBe(0x220d);
    expect(internetChecksum(bytes("4500 0073 0000 4000 4011 0000 c0a8 0001 c0a8 00c7"))).toBe(0xb861);
    expect(internetChecksum(bytes("0001 f2"))).toBe(0x0dfe);
  });

  test("CRC32c of RFC 3720 appendix B.4", () => {
    expect(crc32c(Buffer.alloc(32)).toString(16)).toBe("8a9136aa");
    expect(crc32c(Buffer.alloc(32, 0xff)).toString(16)).toBe("62a8ab43");
    expect(crc32c(Buffer.from("123456789")).toString(16)).toBe("e3069283");
  });
});

describe.each(["v4", "v6"] as const)("frames of %s", (family) => {
  const length = family === "v4" ? 20 : 40;
  const addresses = family === "v4" ? [26, 34] : [22, 54];

  test.each([
    ["tcp", 6],
    ["udp", 17],
    ["icmp", family === "v4" ? 1 : 58],
  ] as const)("%s adds up", (protocol, number) => {
    const frame = frameOf({ ...specs[family], protocol });
    const segment = frame.subarray(14 + length);
    // The length and the protocol, wherever they stand, are two words of the sum.
    const pseudo = Buffer.concat([
      frame.subarray(...addresses),
      bytes(segment.length.toString(16).padStart(4, "0")),
      bytes(number.toString(16).padStart(4, "0")),
    ]);
    const covered = family === "v4" && protocol === "icmp" ? [segment] : [pseudo, segment];
    expect(internetChecksum(Buffer.concat(covered))).toBe(0);
    if (family === "v4") expect(internetChecksum(frame.subarray(14, 34))).toBe(0);
  });

  test("sctp carries the CRC of itself with none", () => {
    const segment = Buffer.from(frameOf({ ...specs[family], protocol: "sctp" }).subarray(14 + length));
    const sent = segment.readUInt32LE(8);
    segment.writeUInt32LE(0, 8);
    expect(crc32c(segment)).toBe(sent);
  });

  test("a router's changes leave the identity, any other port is another", () => {
    const spec = { ...specs[family], protocol: "tcp" } as const;
    const routed = frameOf({ ...spec, sourceMac: "0a:58:00:00:00:01", destinationMac: "0a:58:00:00:00:02" });
    routed.writeUInt8(63, family === "v4" ? 22 : 21);
    expect(identityOf(Buffer.concat([routed, Buffer.alloc(6)]))).toBe(identityOf(frameOf(spec)));
    expect(identityOf(frameOf({ ...spec, sourcePort: 40001 }))).not.toBe(identityOf(frameOf(spec)));
    expect(identityOf(frameOf({ ...spec, protocol: "udp" }))).not.toBe(identityOf(frameOf(spec)));
  });
});

test("a whole IPv4 SYN, byte for byte", () => {
  expect(frameOf({ ...specs.v4, protocol: "tcp" }).toString("hex")).toBe(
    [
      "0a580a0000110a580a0000100800",
      // Checksums added up by hand.
      "4500002800000000400666b00a0000100a000011",
      "9c401f90000003e8000000005002ffff",
      "dc090000",
    ].join(""),
  );
});

test("what is not IP has no identity", () => {
  expect(identityOf(bytes("ffffffffffff 0a580a000010 0806 0001"))).toBeNull();
  expect(identityOf(Buffer.alloc(3))).toBeNull();
});
