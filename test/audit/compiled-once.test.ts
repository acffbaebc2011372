// What V8 keeps of a compiled text changes nothing but the time: each text does what it says, also under a name that had another one, and
// after a test has set a flag of V8.

import v8 from "node:v8";
import vm from "node:vm";
import { afterEach, expect, test } from "@jest/globals";

afterEach(() => {
  v8.setFlagsFromString("--no-stress-concurrent-allocation");
});

const name = "/compiled-once/module.js";

/** Whether V8 took what was kept for the text; undefined: nothing was. */
function compiled(text: string): { value: unknown; wasRejected: boolean | undefined } {
  const made = vm.compileFunction(text, [], { filename: name }) as (() => unknown) & {
    cachedDataRejected?: boolean;
  };
  return { value: made(), wasRejected: made.cachedDataRejected };
}

test("a text that was compiled before is taken from what was kept, and another one under its name is not", () => {
  expect(compiled("return 1")).toEqual({ value: 1, wasRejected: undefined });
  expect(compiled("return 1")).toEqual({ value: 1, wasRejected: false });
  expect(compiled("return 2")).toEqual({ value: 2, wasRejected: undefined });
  expect(() => compiled("return (")).toThrow("Unexpected end of input");
});

async function ownOf(module: vm.SourceTextModule): Promise<unknown> {
  await module.link(() => {
    throw new Error("it imports nothing");
  });
  await module.evaluate();
  return (module.namespace as { own: unknown }).own;
}

test("modules have values of their own each time, also after a flag was set", async () => {
  const make = () => new vm.SourceTextModule("export const own = {};", { identifier: "file:///once.js" });
  const [first, second] = [await ownOf(make()), await ownOf(make())];
  v8.setFlagsFromString("--stress-concurrent-allocation");
  const third = await ownOf(make());
  expect([first, second, third]).toEqual([{}, {}, {}]);
  expect(new Set([first, second, third]).size).toBe(3);
});
