// The public interface of this room.

export { DirectorySource } from "./directory/directory.ts";
export { loadManifests, standardInput } from "./directory/load.ts";
export type { LoadedManifests, NamedText } from "./directory/load.ts";
export type { Keeps } from "./directory/manifest.ts";
export type { Reading } from "./objects/kinds.ts";
export { parseWorkload } from "./objects/workload.ts";
export { ignoredNote } from "./ignored.ts";
export { formatSourceProblem, problemFields } from "./source-problem.ts";
export type { ShownSourceProblem } from "./source-problem.ts";
