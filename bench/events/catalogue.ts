// The kinds of events by the name one asks for them with.

import { namespaceChurn, namespaceRelabelled, oneNamespace } from "./namespaces.ts";
import { burst, onePod } from "./pods.ts";
import { oneNode, onePolicy } from "./policies.ts";
import type { Scenario } from "./step.ts";

export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  pod: [onePod],
  burst: [burst(200), burst(2_000)],
  namespace: [namespaceRelabelled(20), namespaceRelabelled(1_000), oneNamespace],
  policy: [onePolicy],
  node: [oneNode],
  churn: [namespaceChurn],
};

/** Those and what happens to the processes themselves. */
export const eventNames: readonly string[] = [...Object.keys(scenarios), "restart", "reconnect"];
