// Debian's Prometheus, below .cache/prometheus; runs in and outside of jest. Without one it says SKIPPED and answers null; under
// CI=true it throws, so that no pipeline passes by skipping.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const script = fileURLToPath(new URL("../../scripts/fetch-prometheus.sh", import.meta.url));
const folder = fileURLToPath(new URL("../../.cache/prometheus", import.meta.url));

/** The programs; fetches them when they are missing. */
export function prometheusOrSkip(): PrometheusPrograms | null {
  const { status, stderr } = spawnSync(script, [folder], { encoding: "utf8" });
  if (status === 0) return { prometheus: `${folder}/bin/prometheus`, promtool: `${folder}/bin/promtool` };
  const reason = `no Prometheus: ${stderr.trim().split("\n").at(-1) ?? ""}`;
  if (process.env["CI"] === "true") throw new Error(reason);
  process.stderr.write(`SKIPPED: ${reason}\n`);
  return null;
}
