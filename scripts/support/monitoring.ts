// What manifests/monitoring says, as the tests and the renderer of pictures read it: the alerts, and how metrics are read.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface PrometheusRule {
  readonly spec: {
    readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
  };
}

interface PodMonitor {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly MonitoredEndpoint[];
  };
}

/** How the operator's Prometheus reads an instance. */
interface MonitoredEndpoint {
  readonly port: string;
  readonly path: string;
  readonly honorLabels?: boolean;
  readonly scheme: string;
  readonly tlsConfig: { readonly serverName: string };
}

function manifest(name: string): unknown {
  const file = fileURLToPath(new URL(`../../manifests/monitoring/${name}`, import.meta.url));
  return parse(readFileSync(file, "utf8"));
}

const { spec } = manifest("rules.yaml") as PrometheusRule;

export const alertRules: readonly AlertRule[] = spec.groups.flatMap(({ rules }) => rules);

/** A file of rules as Prometheus itself takes it: what the operator makes of the PrometheusRule. */
export const rulesFile: string = stringify(spec);

/** Of the PodMonitor. */
export const monitoredEndpoints: readonly MonitoredEndpoint[] = (manifest("podmonitor.yaml") as PodMonitor)
  .spec.podMetricsEndpoints;

/** Of the readers of nodes. */
export const nodeReaderMonitor = manifest("observe-node/podmonitor.yaml") as PodMonitor;
