// The text for `iptables-restore --noflush` that makes a node's chains equal to the desired ones: it is applied as a whole or not at
// all. Empty where nothing differs. Pure.

import { isSameList } from "../../lib/same-list.ts";
import type { ActualTable, Hook } from "./read-saves.ts";
import { hooks } from "./read-saves.ts";
import { chains } from "../names.ts";
import type { ChainText } from "../print-hooks.ts";

const hookChain: Readonly<Record<Hook, string>> = { FORWARD: chains.forward, INPUT: chains.input };

/** `wanted`: none where nothing of ours remains. */
export function rulesText(
  wanted: readonly ChainText[],
  actual: Pick<ActualTable, "chains" | "jumps">,
): string {
  const names = new Set(wanted.map(({ name }) => name));
  const changed = wanted.filter(({ name, rules }) => {
    const before = actual.chains.get(name);
    return before === undefined || !isSameList(rules, before);
  });
  const stale = [...actual.chains.keys()].filter((name) => !names.has(name));
  const jumps = hooks.flatMap((hook) => jumpLines(hook, actual.jumps[hook], wanted.length > 0));
  if (changed.length + stale.length + jumps.length === 0) return "";
  return [
    "*filter",
    // Empties it, whatever calls it.
    ...[...changed.map(({ name }) => name), ...stale].map((name) => `:${name} - [0:0]`),
    ...changed.flatMap(({ name, rules }) => rules.map((rule) => `-A ${name} ${rule}`)),
    ...jumps,
    ...stale.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}

/** One jump, and the first rule of its hook; rules of others are not moved. */
function jumpLines(hook: Hook, places: readonly number[], isWanted: boolean): readonly string[] {
  if (isWanted && places.length === 1 && places[0] === 0) return [];
  const jump = `-j ${hookChain[hook]}`;
  const removed = places.map(() => `-D ${hook} ${jump}`);
  return isWanted ? [...removed, `-I ${hook} 1 ${jump}`] : removed;
}
