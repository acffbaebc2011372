// What a policy's owner sees of it with kubectl: the conditions and the events on the object.

import { expect } from "@jest/globals";
import { eventually } from "../test/support/eventually.ts";
import type { KubernetesObject } from "../test/kube/api.ts";
import type { ControlPlane } from "../test/kube/control-plane.ts";
import { got, listed } from "../test/kube/resources.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

export interface PolicyView {
  readonly uid: string;
  readonly generation: number;
  readonly conditions: readonly Condition[];
}

export interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly reportingComponent: string;
  readonly involvedObject: Readonly<Record<string, string>>;
}

interface Stored {
  readonly metadata: { readonly uid: string; readonly generation: number };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const success = "Setting up OVN DB plumbing was successful";

/** `what` as kubectl takes it: "anp/name". */
export async function view(plane: ControlPlane, what: string): Promise<PolicyView> {
  const { metadata, status } = (await got(plane.api, what)) as KubernetesObject & Stored;
  return { uid: metadata.uid, generation: metadata.generation, conditions: status?.conditions ?? [] };
}

/** Its only condition, once that says this of the present generation. */
export async function condition(
  plane: ControlPlane,
  what: string,
  wanted: Partial<Condition>,
  timeoutMs = 20_000,
): Promise<Condition> {
  let found: Condition | undefined;
  await eventually(async () => {
    const { conditions, generation } = await view(plane, what);
    expect(conditions).toEqual([expect.objectContaining({ observedGeneration: generation, ...wanted })]);
    found = conditions[0];
  }, timeoutMs);
  if (found === undefined) throw new Error(`${what} has no condition`);
  return found;
}

export function ready(plane: ControlPlane, what: string, zone = "global"): Promise<Condition> {
  const type = `Ready-In-Zone-${zone}`;
  return condition(plane, what, { type, status: "True", reason: "SetupSucceeded", message: success });
}

/** Northgate's events of all policies, in the order of their reasons and messages. The API server reports others. */
export async function events(plane: ControlPlane, policy?: string): Promise<readonly Event[]> {
  const named = policy === undefined ? {} : { fieldSelector: `involvedObject.name=${policy}` };
  const items = await listed(plane.api, "events", { namespace: "default", ...named });
  const order = ({ reason, message }: Event) => `${reason} ${message}`;
  return (items as readonly (KubernetesObject & Event)[])
    .filter(({ reportingComponent }) => reportingComponent === "northgate")
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
