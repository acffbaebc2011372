// manifests/monitoring/dashboard.json: the table of panels as Grafana wants it. Pure: the same table gives the same text.

import type { DashboardPanel, DashboardRow } from "./dashboard-panels.ts";
import { dashboardRows } from "./dashboard-panels.ts";

/** Of Grafana's grid, which is 24 wide. */
const width = 24;
const heights = { row: 1, stat: 4, lines: 8 } as const;
const linesInLine = 4;

const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/** The expression for a job and instances; without them, for Grafana's variables. */
export function exprOf(expr: string, target = 'job=~"$job",instance=~"$instance"'): string {
  return expr.replaceAll(/\{\$(?=[,}])/g, `{${target}`);
}

export function dashboardText(): string {
  return `${JSON.stringify(dashboard(), null, 2)}\n`;
}

function dashboard(): unknown {
  return {
    uid: "northgate",
    title: "Northgate",
    description:
      "Whether policies are followed and in force, what is written, and how fast. Made by `make metrics`.",
    tags: ["northgate", "ovn", "network-policy"],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-3h", to: "now" },
    timezone: "browser",
    templating: {
      list: [
        { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" },
        variable("job", "label_values(northgate_build_info, job)"),
        variable("instance", 'label_values(northgate_build_info{job=~"$job"}, instance)'),
      ],
    },
    panels: placed(dashboardRows),
  };
}

function variable(name: string, query: string): unknown {
  return {
    ...{ name, label: name, type: "query", datasource, query, definition: query },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: ".*" },
    current: { text: ["All"], value: ["$__all"] },
  };
}

function placed(rows: readonly DashboardRow[]): readonly unknown[] {
  const out: unknown[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    out.push({
      id: out.length + 1,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: width, h: 1 },
    });
    y += heights.row;
    const inLine = Math.min(panels.length, panels[0]?.kind === "stat" ? panels.length : linesInLine);
    const w = width / inLine;
    for (const [at, panel] of panels.entries()) {
      const h = heights[panel.kind];
      const gridPos = { x: (at % inLine) * w, y: y + Math.floor(at / inLine) * h, w, h };
      out.push({ id: out.length + 1, ...panelOf(panel), gridPos });
    }
    y += Math.ceil(panels.length / inLine) * heights[panels[0]?.kind ?? "lines"];
  }
  return out;
}

function panelOf(panel: DashboardPanel): Readonly<Record<string, unknown>> {
  const { title, description, kind, unit, queries } = panel;
  return {
    ...{ title, description, datasource },
    type: kind === "stat" ? "stat" : "timeseries",
    targets: queries.map(({ expr, legend }, at) => ({
      ...{ refId: String.fromCharCode(65 + at), datasource },
      ...{ expr: exprOf(expr), legendFormat: legend, instant: kind === "stat", range: kind !== "stat" },
    })),
    fieldConfig: {
      defaults: { unit, min: 0, ...(kind === "stat" ? thresholds(panel.bad) : {}) },
      overrides: [],
    },
    options:
      kind === "stat"
        ? { colorMode: "value", graphMode: "none", reduceOptions: { calcs: ["lastNotNull"] } }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  };
}

function thresholds(bad: DashboardPanel["bad"]): object {
  const first = bad !== undefined && "below" in bad ? "red" : "green";
  const at = bad === undefined ? null : "below" in bad ? bad.below : bad.from;
  const steps = [
    { color: first, value: null },
    ...(at === null ? [] : [{ color: first === "red" ? "green" : "red", value: at }]),
  ];
  return { thresholds: { mode: "absolute", steps } };
}
