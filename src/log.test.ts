// Lines of the log as they are written: the order of JSON's keys, which no field changes, and what is invisible.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
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

test("a program that does not read the log costs a bounded memory, and lines", async () => {
  const log = fileURLToPath(new URL("./log.ts", import.meta.url));
  const program = `const { createLogger } = await import(${JSON.stringify(log)});
    const logger = await createLogger("info", "text");
    for (let line = 0; line < 5_000; line++) {
      logger.info("x".repeat(1_000));
      if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    process.stdout.write(String(process.stderr.writableLength), () => process.exit());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    ...{ stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NODE_OPTIONS: "" } },
  });
  let unread = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (unread += text));
  await once(child, "exit");
  expect(Number(unread)).toBeGreaterThan(2 ** 20);
  expect(Number(unread)).toBeLessThan(2 ** 20 + 2_000);
});
