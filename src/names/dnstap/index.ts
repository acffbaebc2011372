// The public interface of this room.

export { messageFates, tapEnds, tapRefusals } from "./counts.ts";
export { Nudge } from "./nudge/nudge.ts";
export type { TapListener } from "./tap-listener.ts";
export { listenForTaps } from "./tap-listener.ts";
export type { SearchSuffixes } from "./search-suffixes.ts";
export { searchSuffixes } from "./search-suffixes.ts";
export { WatchedNames } from "./watched.ts";
