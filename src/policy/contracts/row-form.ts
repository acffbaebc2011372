// How the rows of a kind's policies are formed: which address sets hold the peers of its rules. A property of the kind, which a
// backend that writes rows obeys.

/**
 * `rule`: each rule has one set for each family, with all its peers, as OVN-Kubernetes documents for the kind. `selector`: each group
 * of pods or nodes has one set for each family, of this owner type, which every rule of every policy of the form and owner type shares;
 * networks are in the match. `networkPolicy`: that of OVN-Kubernetes' NetworkPolicies: sets that they share alone, an ACL of its own
 * for a rule's networks, the port last in the match, and default denies in the isolation of the namespace.
 */
export type RowForm =
  | { readonly sets: "rule" }
  | { readonly sets: "selector"; readonly ownerType: string }
  | { readonly sets: "networkPolicy" };
