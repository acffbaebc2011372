// What a repository holds beside manifests, in lines for people: it is left out, and said.

import { counted } from "../lib/counted.ts";
import { printable } from "../model/quote.ts";

export interface LeftOut {
  /** Helm charts, by their folders, whose templates are no manifests before Helm renders them. */
  readonly charts: readonly string[];
  /** Documents in folders that are no objects of the Kubernetes API. */
  readonly others: number;
}

export const nothingLeftOut: LeftOut = { charts: [], others: 0 };

/** Of all together. */
export function leftOutLines(all: readonly LeftOut[]): readonly string[] {
  const charts = new Set(all.flatMap((one) => one.charts));
  const others = all.reduce((sum, one) => sum + one.others, 0);
  return [
    ...Array.from(charts, (folder) => {
      const chart = printable(folder);
      return `left out: ${chart}/templates, the templates of a Helm chart: helm template ${chart} makes manifests of them`;
    }),
    ...(others === 0
      ? []
      : [`left alone: ${counted(others, "document")} without apiVersion, kind, metadata and spec`]),
  ];
}
