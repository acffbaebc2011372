import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { patience } from "./patience.ts";
import { fetchUpstream } from "./upstream.ts";

test(
  "without the proxy there is one line that says why",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "ng-upstream-"));
    try {
      const answer = await fetchUpstream({ ...process.env, GOPROXY: "off" }, dir);
      expect(answer).toMatch(/^(could not fetch )?sigs\.k8s\.io\/network-policy-api[: ]/);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
  patience(60_000),
);
