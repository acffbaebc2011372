import { expect, test } from "@jest/globals";
import { AddressIndex } from "./address-index.ts";
import { ip } from "../../test/support/facts.ts";

const address = ip("10.0.0.1");

test("the next holder takes over when the first leaves", () => {
  const index = new AddressIndex<string>();
  index.add(address, "a");
  expect(index.isShared(address)).toBe(false);
  expect([...index.shared()]).toEqual([]);
  index.add(address, "b");
  index.add(address, "c");
  expect(index.isShared(address)).toBe(true);
  expect([...index.shared()]).toEqual([address]);
  index.remove(address, "a");
  expect([...index.holders(address)].sort()).toEqual(["b", "c"]);
  index.remove(address, "c");
  expect(index.isShared(address)).toBe(false);
  expect([...index.holders(address)]).toEqual(["b"]);
  index.remove(address, "b");
  expect([...index.holders(address)]).toEqual([]);
});

test("an imbalance throws", () => {
  const index = new AddressIndex<string>();
  index.add(address, "a");
  expect(() => {
    index.add(address, "a");
  }).toThrow("invariant broken");
  expect(() => {
    index.remove(address, "b");
  }).toThrow("invariant broken");
});
