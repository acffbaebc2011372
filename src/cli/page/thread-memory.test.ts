import { expect, test } from "@jest/globals";
import { megabytesLeft } from "./thread-memory.ts";

const mebibyte = 2 ** 20;

test("half of what is left, at most what one says, and nothing where that is too little", () => {
  expect(megabytesLeft(1024, 800 * mebibyte)).toBe(400);
  expect(megabytesLeft(1024, 64_000 * mebibyte)).toBe(1024);
  expect(megabytesLeft(1024, 128 * mebibyte)).toBe(64);
  expect(() => megabytesLeft(1024, 127 * mebibyte)).toThrow("the controller has 126 MiB of memory left");
});
