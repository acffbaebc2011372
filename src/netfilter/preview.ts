// What the packet filter of a node is to have, without a node: what `northgate render` prints, and what plans compare.

import { undeclaredPorts } from "../contents/undeclared-ports.ts";
import type { IpFamily } from "../model/ip.ts";
import type { BackendPreview } from "../offline/rendered.ts";
import type { Refusal } from "../policy/contracts/backend.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { refusalsOf } from "./admission.ts";
import { lower } from "./lower.ts";
import type { FilterForm } from "./options.ts";
import type { ChainText } from "./print-hooks.ts";
import { chainTexts } from "./print-iptables.ts";
import type { SetContents } from "./print-ipset.ts";
import { nftChains } from "./nft/print-chains.ts";
import type { NftSet, NftTable } from "./nft/script.ts";
import { nftSetForm, nftSets } from "./nft/sets.ts";
import type { FilterProgram } from "./program.ts";
import { contentsOf, ipsetForm, nodeSetsOf } from "./set-contents.ts";

/** What one family of addresses has, or for nftables (`inet`) both. */
export interface FilterPart {
  readonly family: IpFamily | "inet";
  readonly chains: readonly ChainText[];
  readonly sets: readonly NftSet[];
}

/** For iptables and ipset. */
export interface FamilyFilter extends FilterPart {
  readonly family: IpFamily;
  readonly sets: readonly SetContents[];
}

export class FilterPreview implements BackendPreview {
  readonly #policies = new Map<PolicyKey, Policy>();
  readonly #membership: Membership;
  readonly #zone: string | null;
  readonly #form: FilterForm;
  #families: readonly IpFamily[] = [];

  /** `zone`: the node; null: every pod is local. */
  constructor(membership: Membership, zone: string | null, form: FilterForm) {
    this.#membership = membership;
    this.#zone = zone;
    this.#form = form;
  }

  serve(families: readonly IpFamily[]): void {
    this.#families = families;
  }

  admit(policy: Policy): readonly Refusal[] {
    return refusalsOf(policy);
  }

  upsert(policy: Policy): void {
    this.#policies.set(policy.key, policy);
  }

  remove(key: PolicyKey): void {
    this.#policies.delete(key);
  }

  /** Every tier has a chain of its own: no rule is without a place for want of one. */
  takeContested(): readonly PolicyKey[] {
    return [];
  }

  /** Without a node nothing exists that must be kept. */
  freeze(): void {
    // Nothing is desired for the key as it is.
  }

  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[] {
    const policy = this.#policies.get(key);
    if (policy === undefined) return [];
    return undeclaredPorts(policy, this.#membership);
  }

  /** For iptables and ipset; v4 first. */
  filters(): readonly FamilyFilter[] {
    const program = this.#program();
    const sets = nodeSetsOf(program);
    const reader = ipsetForm.reader(this.#membership, this.#zone);
    return this.#families.map((family) => ({
      family,
      // Where no policy says anything, nothing is written.
      chains: sets.length === 0 ? [] : chainTexts(program, family, this.#form),
      sets: contentsOf(sets, family, ipsetForm, reader),
    }));
  }

  /** For nftables. */
  table(): NftTable {
    const program = this.#program();
    if (nodeSetsOf(program).length === 0) return { chains: [], sets: [] };
    const reader = nftSetForm.reader(this.#membership, this.#zone);
    return {
      chains: nftChains(program, this.#families, this.#form),
      sets: nftSets(program, this.#families, reader),
    };
  }

  #program(): FilterProgram {
    return lower([...this.#policies.values()]);
  }
}
