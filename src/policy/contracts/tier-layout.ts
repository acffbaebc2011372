// How the evaluation tiers of the installed dialects share the tiers of a backend that has few of them: a property of the set of
// dialects, which says it to whatever puts a backend together. A backend that follows any number of tiers ignores it.

/**
 * `threeTiers`: each of the three tiers that every cluster has (policy/ir.ts) has a fixed part, and other tiers are placed before
 * them, between them and behind them. `stack`: no tier is fixed; all of them are one sequence by order and name, as long as it is.
 */
export type TierLayout = "threeTiers" | "stack";
