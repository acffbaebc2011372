// The expected texts are what Go's net package prints for the same input, unless a comment says otherwise.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { everyAddress, familyOf, parseCidr, parseIp } from "./ip.ts";

describe("parseIp", () => {
  test.each([
    ["10.0.0.1", "10.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["FE80::A", "fe80::a"],
    ["::", "::"],
    ["::1", "::1"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    // The longest run of zeros, the first of equally long ones, never a run of one.
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["0:0:1:0:0:1:1:1", "::1:0:0:1:1:1"],
    ["1:0:0:1:1:0:0:1", "1::1:1:0:0:1"],
    ["1:0:1:1:1:1:1:1", "1:0:1:1:1:1:1:1"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"],
    // IPv4-mapped, however spelled.
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::ffff:0102:0304", "1.2.3.4"],
    ["0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"],
    // A dotted tail that is not IPv4-mapped.
    ["::1.2.3.4", "::102:304"],
    ["::0.0.0.0", "::"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
    // Decimal with leading zeros: Go refuses it, Kubernetes' lenient parser reads it as decimal.
    ["010.0.0.1", "10.0.0.1"],
    ["192.168.001.009", "192.168.1.9"],
  ])("reads %s as %s", (text, canonical) => {
    expect(parseIp(text)).toBe(canonical);
  });

  test.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.1000",
    "1..2.3",
    "+1.2.3.4",
    "1.2.3.-4",
    "0x7f.1.1.1",
    "2130706433",
    "1.2.3.4 ",
    "1.2.3.4\n",
    "1.2.3.4/32",
    "1.2.3.4 || 1==1",
    "::1 || 1==1",
    "$set",
    "fe80::1%eth0",
    "1::2::3",
    ":::",
    ":1::2",
    "12345::",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8:",
    "1:2:3:4:5:6:7:1.2.3.4",
    "::00001",
    "::ffff:1.2.3",
    "::ffff:256.0.0.1",
    "1.2.3.4::",
    "[::1]",
    "١.2.3.4",
  ])("refuses %j", (text) => {
    expect(parseIp(text)).toBeNull();
  });

  test("prints what it reads as itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseIp(text);
        expect(address).not.toBeNull();
        expect(parseIp(address ?? "")).toBe(address);
      }),
    );
  });

  test("lets nothing through that is more than an address", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: fc.constantFrom("0", "1", "2", "9", "a", "f", ":", ".", "/", "%", "|", " ") }),
        ),
        (text) => {
          expect(parseIp(text) ?? "::").toMatch(/^[0-9a-f:.]+$/);
          expect(parseCidr(text) ?? "::/0").toMatch(/^[0-9a-f:.]+\/\d+$/);
        },
      ),
    );
  });
});

describe("parseCidr", () => {
  test.each([
    ["2001:0db8::/32", "2001:db8::/32"],
    ["10.0.54.0/19", "10.0.32.0/19"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::/0", "::/0"],
    ["1.2.3.4/32", "1.2.3.4/32"],
    ["255.255.255.255/1", "128.0.0.0/1"],
    ["2001:db8::1/64", "2001:db8::/64"],
    ["2001:DB8::1/128", "2001:db8::1/128"],
    ["ffff:ffff::1/1", "8000::/1"],
    ["0:0:1:0:0:1:1:1/128", "::1:0:0:1:1:1/128"],
  ])("reads %s as %s", (text, canonical) => {
    expect(parseCidr(text)).toBe(canonical);
  });

  test.each([
    "",
    "/8",
    "1.2.3.4",
    "1.2.3.4/",
    "1.2.3.4/33",
    "1.2.3.4/-1",
    "1.2.3.4/08",
    "1.2.3.4/8 ",
    "1.2.3.4/8/8",
    "1.2.3.4/255.0.0.0",
    "01.2.3.4/8",
    "10.0.0.0/8 || 1==1",
    "::/129",
    "::ffff:1.2.3.4/120",
    "::ffff:102:304/120",
    "fe80::1%eth0/64",
  ])("refuses %j", (text) => {
    expect(parseCidr(text)).toBeNull();
  });
});

test("the family is that of the text", () => {
  expect(familyOf(everyAddress("v4"))).toBe("v4");
  expect(familyOf(everyAddress("v6"))).toBe("v6");
  expect(parseCidr(everyAddress("v4"))).toBe(everyAddress("v4"));
  expect(parseCidr(everyAddress("v6"))).toBe(everyAddress("v6"));
});
