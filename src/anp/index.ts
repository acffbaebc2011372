// The frontends of the policy.networking.k8s.io/v1alpha1 API. Everything else in this folder is their own business.

export { adminNetworkPolicy } from "./admin.ts";
export { baselineAdminNetworkPolicy } from "./baseline.ts";
