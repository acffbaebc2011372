// The public interface of this room.

export { DirectorySource } from "./directory/directory.ts";
export { loadManifests, nameOfInput, standardInput } from "./directory/load.ts";
export type { LoadedManifests, NamedText } from "./directory/load.ts";
export type { Keeps } from "./directory/manifest.ts";
export type { Reading } from "./objects/kinds.ts";
export { editedText } from "./directory/edits.ts";
export type { ObjectEdit } from "./directory/edits.ts";
export { parseWorkload } from "./objects/workload.ts";
export { ignoredNote } from "./ignored.ts";
export { formatSourceProblem, problemFields } from "./source-problem.ts";
export type { ShownSourceProblem } from "./source-problem.ts";
