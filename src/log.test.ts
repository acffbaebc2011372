// Lines of the log as they are written: the order of JSON's keys, which no field changes, and what is invisible.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

/** What a process writes to standard error that logs one line. */
function logged(format: string, message: string, fields: object): string {
  const log = fileURLToPath(new URL("./log.ts", import.meta.url));
  const program = `const { createLogger } = await import(${JSON.stringify(log)});
    (await createLogger("info", ${JSON.stringify(format)})).warn(${JSON.stringify(message)}, ${JSON.stringify(fields)});`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  expect(stdout).toBe("");
  return stderr;
}

test("JSON has time, level and message first, whatever the fields are called, and no invisible character", () => {
  const fields = {
    problem: "\u001b[31m",
    level: "none",
    message: "forged",
    time: "never",
    place: "a.yaml:6",
  };
  const line = logged("json", "a finding in a policy", fields);
  expect(line).toMatch(
    /^\{"time":"\d{4}-[^"]+Z","level":"warn","message":"a finding in a policy","problem":"\\u001b\[31m","place":"a.yaml:6"\}\n$/,
  );
});

test("text has the fields behind the message", () => {
  const line = logged("text", "a finding in a policy", { policy: "a\u001b", count: 2 });
  expect(line).toMatch(/^\d{4}-\S+Z WARN {2}a finding in a policy policy="a\\u001b" count=2\n$/);
});
