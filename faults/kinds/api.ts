import type { FaultKind } from "./kind.ts";
export const apiKinds: readonly FaultKind[] = [];
