// The values of flags that allow only a few.

import { backends } from "../backends.ts";

export const tableFormats = ["table", "json", "yaml"] as const;
/** A backend may print further forms of its own. */
export const renderFormats: readonly string[] = [
  ...tableFormats,
  ...new Set(backends.flatMap(({ forms }) => Object.keys(forms))),
];
export const getFormats = ["table", "wide", "json", "yaml"] as const;
export const listFormats = ["table", "json"] as const;
export const eventFormats = ["table", "json", "ndjson"] as const;
export const manifestFormats = ["yaml", "json"] as const;
export const recommendFormats = ["yaml", "json", "table"] as const;
export const waitPoints = ["commit", "hv"] as const;
/** Of `--kube-api-content-type`. */
export const contentTypes = ["application/vnd.kubernetes.protobuf", "application/json"] as const;
/** Of `run --conditions`. */
export const conditionChoices = ["auto", "true", "false"] as const;
export const getOrders = ["order", "name", "subjects"] as const;
export const planFormats = ["table", "json", "yaml", "markdown", "github", "sarif", "junit"] as const;
export const matrixFormats = ["table", "json", "yaml", "csv", "dot", "svg", "html"] as const;
export const planFailures = ["allow-to-deny", "deny-to-allow", "unknown"] as const;
export const lintFormats = ["table", "json", "sarif", "junit", "markdown"] as const;
export const lintSeverities = ["error", "warning", "info"] as const;
/** Of `lint --severity`. */
export const lintLevels = [...lintSeverities, "off"] as const;
export const serverReaders = ["none", "token", "certificate"] as const;
export const booleans = ["true", "false"] as const;
