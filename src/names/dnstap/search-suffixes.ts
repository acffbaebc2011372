// A question with a search suffix of a resolv.conf → the name that its answer is of, as CoreDNS' plugin `autopath` writes it. Invariant: the
// alias in the response is that name, so an answer is never of a name that the DNS server did not look up itself.

import { canonicalHostName } from "../../model/selectors/host-names.ts";

export interface Question {
  readonly name: string;
  /** Where the alias of the name leads; null: it has none, or other records too. */
  readonly alias: string | null;
}

/** In a suffix, for one label: any namespace. */
const anyLabel = "*.";

/** What the kubelet writes into the resolv.conf of each pod, and what its node has besides. */
export function searchSuffixes(clusterDomain: string, ofNodes: readonly string[]): SearchSuffixes {
  return new SearchSuffixes([
    `${anyLabel}svc.${clusterDomain}`,
    `svc.${clusterDomain}`,
    clusterDomain,
    ...ofNodes,
  ]);
}

export class SearchSuffixes {
  /** As they were given: `*.svc.cluster.local` stands for one of each namespace. */
  readonly texts: readonly string[];
  readonly #whole: readonly string[];

  constructor(texts: readonly string[]) {
    this.texts = [...new Set(texts.map(canonicalHostName))];
    this.#whole = this.texts.filter((text) => !text.startsWith(anyLabel));
  }

  /**
   * The asked name, or the alias where the alias is what was asked without its suffix, or with another one. Without the alias the name
   * stays: anyone who may create a Service has names that end in a suffix.
   */
  nameOf({ name, alias }: Question): string {
    if (alias === null) return name;
    const bases = this.texts.flatMap((text) => withoutSuffix(name, text) ?? []);
    if (bases.includes("")) return name;
    const names = bases.flatMap((base) => [base, ...this.#whole.map((other) => `${base}.${other}`)]);
    return names.includes(alias) ? alias : name;
  }
}

/** null: the name does not end in it. */
function withoutSuffix(name: string, suffix: string): string | null {
  const isAnyLabel = suffix.startsWith(anyLabel);
  const end = `.${isAnyLabel ? suffix.slice(anyLabel.length) : suffix}`;
  if (!`.${name}`.endsWith(end)) return null;
  const rest = name.slice(0, Math.max(0, name.length - end.length));
  if (!isAnyLabel) return rest;
  return rest === "" ? null : rest.slice(0, Math.max(0, rest.lastIndexOf(".")));
}
