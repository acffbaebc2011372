// The names of domains that policies allow, each with the addresses that it leads to: as recorded, or as what is written has them.

import { ascending } from "../lib/ascending.ts";
import type { IpAddress } from "../model/ip.ts";
import { hostNameLabels } from "../model/selectable.ts";
import { selects } from "../model/selector.ts";
import { hostNamePattern } from "../model/selectors/host-names.ts";
import type { HostNameGroup } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import { peerTerms } from "../policy/normal-form.ts";
import type { AskedWorld } from "./asked.ts";

export interface ListedName {
  /** As policies have it, in lower case: a name, or a pattern with a `*`. */
  readonly name: string;
  readonly addresses: readonly IpAddress[];
  /** How many policies name it. */
  readonly policies: number;
  /** False: nothing was ever recorded. Of what is written: there is no address. */
  readonly isKnown: boolean;
}

/** By name. `held`: what is written for a group; null: what was recorded counts. */
export function listNames(
  { written, facts }: Pick<AskedWorld, "written" | "facts">,
  held: ((group: HostNameGroup) => readonly IpAddress[]) | null,
): readonly ListedName[] {
  const groups = new Map<string, { readonly group: HostNameGroup; policies: number }>();
  for (const { rules } of written) {
    const found = rules.egress.flatMap((rule) => peerTerms(rule).flatMap(({ anyOf }) => anyOf.hostNames));
    for (const [key, group] of new Map(found.map((one) => [groupKey(one), one])))
      groups.set(key, { group, policies: (groups.get(key)?.policies ?? 0) + 1 });
  }
  const listed = Array.from(groups.values(), ({ group, policies }): ListedName => {
    const answers = [...facts.hostNames].filter((fact) => selects(group.names, hostNameLabels(fact)));
    const addresses = ascending(held?.(group) ?? answers.flatMap(({ ips }) => ips));
    const isKnown = held === null ? answers.length > 0 : addresses.length > 0;
    return { name: hostNamePattern(group.names), addresses, policies, isKnown };
  });
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}
