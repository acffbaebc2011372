// The public interface of this room: the program's side of the API server.

export type { KubeApi } from "./transport/api.ts";
export { HttpApi } from "./transport/http.ts";
export { contextNames, contextNamespace, openKubeconfig } from "./transport/kubeconfig.ts";
export type { Condition, SeenStatus } from "./read/conditions.ts";
export { noStatus } from "./read/conditions.ts";
export { isOfCrd } from "./read/definitions.ts";
export { listNames } from "./read/list-names.ts";
export { listOthers } from "./read/list-others.ts";
export { listPolicies } from "./read/list-policies.ts";
export { listWorld } from "./read/list-world.ts";
export { KubeSource } from "./read/source.ts";
export type { KubeSourceOptions, ResourceState } from "./read/source.ts";
export type { AccessVerdict } from "./write/reviews.ts";
export { AccessReviews } from "./write/reviews.ts";
export { DepartedZones, zonedPolicy } from "./write/departed-zones.ts";
export type { DepartedZonesOptions } from "./write/departed-zones.ts";
export { EventWriter } from "./write/event-writer.ts";
export { StatusWriter } from "./write/status-writer.ts";
