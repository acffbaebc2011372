// The public interface of this room.

export { limitNames } from "./noted.ts";
export { Names } from "./names.ts";
export { outcomes } from "./outcome.ts";
export { refusalReasons } from "./refused.ts";
export { Resolvers } from "./resolvers.ts";
