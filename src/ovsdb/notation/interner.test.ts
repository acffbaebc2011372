import { describe, expect, test } from "@jest/globals";
import { Interner } from "./interner.ts";

describe("shared strings", () => {
  test("holds each short text once", () => {
    const interner = new Interner();
    for (const text of ["10.0.0.1", "10.0.0.2", "10.0.0.1"]) expect(interner.share(text)).toBe(text);
    expect(interner.size).toBe(2);
  });

  test("does not hold long texts: an ACL's match is another one after every pod that comes or goes", () => {
    const interner = new Interner();
    const match = "(ip4.dst == 10.0.0.1 && tcp.dst == 80) || ".repeat(100);
    expect(interner.share(match)).toBe(match);
    expect(interner.size).toBe(0);
  });

  test("holds a long text as long as it is on its way, and no short one", () => {
    const interner = new Interner();
    const match = "(ip4.dst == 10.0.0.1 && tcp.dst == 80) || ".repeat(100);
    const answered = interner.sent([match, "10.0.0.1", match]);
    expect(interner.size).toBe(1);
    const later = interner.sent([match]);
    for (const text of [match, `${match} `]) expect(interner.share(text)).toBe(text);
    expect(interner.size).toBe(1);
    later();
    expect(interner.size).toBe(1);
    answered();
    expect(interner.size).toBe(0);
  });

  test("starts over when it is full", () => {
    const interner = new Interner();
    for (let i = 0; i <= 1 << 18; i++) interner.share(String(i));
    expect(interner.size).toBe(1);
  });
});
