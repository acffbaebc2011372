// What V8 keeps of a compiled text changes nothing but the time: each text does what it says, also under a name that had another one.

import vm from "node:vm";
import { expect, test } from "@jest/globals";

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

test("modules have values of their own each time", async () => {
  const made = [1, 2].map(
    () => new vm.SourceTextModule("export const own = {};", { identifier: "file:///compiled-once.js" }),
  );
  for (const module of made) {
    await module.link(() => {
      throw new Error("it imports nothing");
    });
    await module.evaluate();
  }
  const [first, second] = made.map(({ namespace }) => (namespace as { own: object }).own);
  expect(first).toEqual({});
  expect(first).not.toBe(second);
});
