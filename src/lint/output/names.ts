// Names in every output: of policies, rules and numbers of findings. Users' text is made harmless and put on one line.

import type { Ref, RuleRef } from "../../analysis/ref.ts";
import { printable } from "../../model/quote.ts";
import type { Counts, Finding } from "../finding.ts";
import { counted } from "../words.ts";

const longest = 2000;

/** Harmless: for a terminal, for XML, for a line. */
export function safe(text: string): string {
  return printable(text, longest);
}

/** `NetworkPolicy shop/web` */
export function nameOfRef({ kind, namespace, name }: Ref): string {
  return safe(namespace === null ? `${kind} ${name}` : `${kind} ${namespace}/${name}`);
}

/** Equal for one policy alone, also where two kinds have one name. */
export function keyOfRef({ group, kind, namespace, name }: Ref): string {
  return JSON.stringify([group, kind, namespace, name]);
}

/** `egress[2] "allow-dns"` */
export function nameOfRule({ direction, index, name }: RuleRef): string {
  return safe(name === "" ? `${direction}[${index}]` : `${direction}[${index}] "${name}"`);
}

/** The findings of each policy, in their order. */
export function byPolicy(findings: readonly Finding[]): readonly (readonly [Ref, readonly Finding[]])[] {
  const groups = Map.groupBy(findings, ({ policy }) => keyOfRef(policy));
  return [...groups.values()].flatMap((list) =>
    list.slice(0, 1).map(({ policy }) => [policy, list] as const),
  );
}

/** "2 errors, 1 warning, 3 of information; 1 suppressed" */
export function summaryOf({ error, warning, info, suppressed }: Counts): string {
  const open = `${counted(error, "error")}, ${counted(warning, "warning")}, ${info} of information`;
  return suppressed === 0 ? open : `${open}; ${suppressed} suppressed`;
}
