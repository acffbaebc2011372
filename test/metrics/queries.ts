// The panels of manifests/monitoring/dashboard.json as the file has them, with their queries.

import { readFileSync } from "node:fs";
import { observeFamilies } from "../../scripts/support/metric-families.ts";

interface FilePanel {
  readonly title: string;
  readonly type: string;
  readonly description: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const file = new URL("../../manifests/monitoring/dashboard.json", import.meta.url);
const all = (JSON.parse(readFileSync(file, "utf8")) as { readonly panels: readonly FilePanel[] }).panels;

export const panels = all.filter(({ type }) => type !== "row");

const ofNodes = new RegExp(`\\b(${observeFamilies.map(({ name }) => name).join("|")})\\b`);
/** Of `run`; the others are of the readers of nodes. */
export const panelsOfRun = panels.filter(({ targets }) => !targets.some(({ expr }) => ofNodes.test(expr)));
