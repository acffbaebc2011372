// What other rooms may use of this one.

export { DirectorySource } from "./directory.ts";
export type { KubeApi } from "./kube/api.ts";
export type { Condition } from "./kube/conditions.ts";
export { HttpApi } from "./kube/http.ts";
export { openKubeconfig } from "./kube/kubeconfig.ts";
export { KubeSource } from "./kube/source.ts";
export type { KubeSourceOptions, ResourceState } from "./kube/source.ts";
export { loadManifests } from "./load.ts";
export type { LoadedManifests } from "./load.ts";
export { keyOf } from "./object.ts";
export { formatSourceProblem } from "./source-problem.ts";
export { EventWriter } from "./kube/event-writer.ts";
export { listPolicies } from "./kube/list-policies.ts";
export { StatusWriter } from "./kube/status-writer.ts";
