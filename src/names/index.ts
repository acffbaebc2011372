// The public interface of this room.

export { limitNames } from "./noted.ts";
export type { NamesOptions } from "./names.ts";
export { Names, wildcardsOf } from "./names.ts";
export { outcomes } from "./answer-sink.ts";
export { refusalReasons } from "./refused.ts";
export { Resolvers } from "./resolvers.ts";
