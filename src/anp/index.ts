// The frontends of the policy.networking.k8s.io/v1alpha1 API. The other files of this folder are private.

export { adminNetworkPolicy } from "./admin.ts";
export { baselineAdminNetworkPolicy } from "./baseline.ts";
