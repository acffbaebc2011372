// Where walks go: which kinds of change there are, and in which worlds they begin.

import fc from "fast-check";
import { antreaChanges } from "./antrea-changes.ts";
import { withAntrea } from "./antrea-policies.ts";
import type { Change } from "./changes.ts";
import { worldChanges } from "./changes.ts";
import { networkPolicyChanges } from "./network-policy-changes.ts";
import { withOwnNetworkPolicies } from "./own-network-policies.ts";
import { placeChanges } from "./place-changes.ts";
import { policyChanges } from "./policy-changes.ts";
import type { ProofWorld } from "./worlds.ts";
import { proofWorld } from "./worlds.ts";

export const changes: Readonly<Record<string, Change>> = {
  ...policyChanges,
  ...networkPolicyChanges,
  ...worldChanges,
  ...placeChanges,
};

/** Half of them with NetworkPolicies: those isolate pods, and hide what the baseline would say of them. */
const plainWorlds = fc.oneof(proofWorld, withOwnNetworkPolicies(proofWorld));

export interface Ground {
  readonly changes: Readonly<Record<string, Change>>;
  readonly worlds: fc.Arbitrary<ProofWorld>;
  /** Whether only those walks are gone in which a packet gets another verdict. */
  readonly mustTell: boolean;
}

export const plain: Ground = { changes, worlds: plainWorlds, mustTell: false };

/** What Antrea's kinds have, and what happens to the pods and namespaces that they are about. */
export const ofAntrea: Ground = {
  changes: {
    ...antreaChanges,
    ...placeChanges,
    "pod relabelled": worldChanges["pod relabelled"],
    "namespace relabelled": worldChanges["namespace relabelled"],
  },
  worlds: withAntrea(plainWorlds),
  // Among the policies of all kinds, most edits of one change nothing for anybody.
  mustTell: true,
};
