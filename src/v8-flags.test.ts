import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { youngHeap } from "./v8-flags.ts";

test.each(["bin/northgate.js", "Dockerfile"])("%s starts Node with the heap that was measured", (file) => {
  expect(readFileSync(new URL(`../${file}`, import.meta.url), "utf8")).toContain(youngHeap);
});
