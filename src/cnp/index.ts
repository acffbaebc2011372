// The dialect of policy.networking.k8s.io/v1alpha2. The other files of this folder are private.

export { clusterNetworkPolicy, clusterNetworkPolicyWith } from "./compile.ts";
