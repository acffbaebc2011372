// What manifests/monitoring says, as the tests and the renderer of pictures read it: the alerts and the expressions.

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

const manifest = fileURLToPath(new URL("../../manifests/monitoring/rules.yaml", import.meta.url));
const { spec } = parse(readFileSync(manifest, "utf8")) as PrometheusRule;

export const alertRules: readonly AlertRule[] = spec.groups.flatMap(({ rules }) => rules);

/** A file of rules as Prometheus itself takes it: what the operator makes of the PrometheusRule. */
export const rulesFile: string = stringify(spec);
