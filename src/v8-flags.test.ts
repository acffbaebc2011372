import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { heapFlags } from "./v8-flags.ts";

test.each(["bin/northgate.js", "Dockerfile"])("%s starts Node with the heap that was measured", (file) => {
  const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  for (const flag of heapFlags) expect(text).toContain(flag);
});
