// The panels of manifests/monitoring/dashboard.json as the file has them, with their queries.

import { readFileSync } from "node:fs";

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
