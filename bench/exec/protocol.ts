// What the bench says to the process of the API server, and what that answers, in the order of the requests.

import type { Change } from "../workloads/world.ts";

export type Request =
  /** Serves the workload's objects from now on. */
  | { readonly say: "serve"; readonly workload: string }
  | { readonly say: "change"; readonly changes: readonly Change[] }
  /** Every pod in turn, until so many updates are written, changes in nothing that concerns a policy. */
  | { readonly say: "touch"; readonly updates: number };

export interface Answer {
  /** Of a server that serves: what a kubeconfig needs. */
  readonly server?: { readonly url: string; readonly authority: string };
}
