// What other rooms may use of this one.

export { DirectorySource } from "./directory.ts";
export type { DirectoryOptions } from "./directory.ts";
export { loadManifests } from "./load.ts";
export type { LoadedManifests } from "./load.ts";
export { keyOf } from "./object.ts";
export { formatSourceProblem } from "./source-problem.ts";
