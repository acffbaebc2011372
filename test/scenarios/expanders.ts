// One scenario, many paths to the same last state.

import type { WorldObject } from "../../src/model/object.ts";

type State = readonly WorldObject[];

export interface Path {
  readonly name: string;
  readonly states: readonly State[];
  /** How often every key is delivered. */
  readonly deliveries: number;
  /** Whether each state's rows are written before the next state comes. */
  readonly settles: boolean;
}

export function pathsOf(states: readonly State[]): readonly Path[] {
  const last = states.at(-1) ?? [];
  const once = { deliveries: 1, settles: true };
  return [
    { name: "as told", states, ...once },
    { name: "reversed, then the end", states: [...states.toReversed(), last], ...once },
    { name: "objects in reverse order", states: states.map((state) => state.toReversed()), ...once },
    { name: "each state repeated", states: states.flatMap((state) => [state, state]), ...once },
    { name: "nothing at all in between", states: states.flatMap((state) => [[], state]), ...once },
    { name: "delivered twice", states, deliveries: 2, settles: true },
    { name: "squashed", states, deliveries: 1, settles: false },
    { name: "only the end", states: [last], ...once },
    {
      name: "object by object",
      states: [[], ...last.map((_, index) => last.slice(0, index + 1))],
      ...once,
    },
  ];
}
