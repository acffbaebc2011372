// What the environment may say of the panel: the seeds that the documents print are taken as they are.

import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";

const module = new URL("panel.ts", import.meta.url).href;
const printed = `import(${JSON.stringify(module)}).then(({ panel }) => console.log(JSON.stringify(panel)))`;
const panelWith = (environment: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, ["-e", printed], {
    ...{ encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "", ...environment } },
  });

test.each(["1", "20261122", "2037431402", "2147483647"])("SEED=%s is a seed", (SEED) => {
  const { stdout } = panelWith({ SEED, NORTHGATE_PROOF_WORLDS: "5000" });
  expect(JSON.parse(stdout)).toMatchObject({ seed: Number(SEED), worlds: 5000 });
});

test.each(["0", "-1", "1.5", "2147483648", "x", "01"])("SEED=%s is refused", (SEED) => {
  expect(panelWith({ SEED }).stderr).toContain(`SEED=${SEED}: not a whole number from 1 to 2147483647`);
});
