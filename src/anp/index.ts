// The dialects of policy.networking.k8s.io/v1alpha1. The other files of this folder are private.

export { adminNetworkPolicy, adminNetworkPolicyWith, baselineAdminNetworkPolicy } from "./compile.ts";
