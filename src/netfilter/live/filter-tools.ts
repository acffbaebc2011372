// What the backend needs of the tools of a node's packet filter: of iptables and ipset, or of nft.

import type { IpFamily } from "../../model/ip.ts";

/** What the tools print of everything that is there, for the filter table and for sets. */
export interface Saves {
  readonly rules: Readonly<Record<IpFamily, string>>;
  readonly sets: string;
}

/** What the backend needs of iptables and ipset. Each rejects with a FilterRefusedError or a FilterLostError. */
export interface FilterTools {
  read(): Promise<Saves>;
  /** How many elements each set has, whatever it costs to read them. */
  setSizes(): Promise<ReadonlyMap<string, number>>;
  /** A script for `ipset restore`, which is no transaction: after an error some of its lines may be in force. */
  changeSets(script: string): Promise<void>;
  /** A text for `iptables-restore --noflush`, which is applied as a whole or not at all. */
  changeRules(family: IpFamily, text: string): Promise<void>;
}

/** What the backend needs of nft. Each rejects with a FilterRefusedError or a FilterLostError. */
export interface TableTools {
  /** What `nft -n list` prints of our table; "": there is none. */
  list(): Promise<string>;
  /** A script for `nft -f`, which is applied as a whole or not at all. */
  apply(script: string): Promise<void>;
}

/** The tool, or the kernel behind it, does not accept what was written. The message is its own, without a full stop. */
export class FilterRefusedError extends Error {
  override readonly name = "FilterRefusedError";
}

/** The tool did not run to its end, or could not get what it needs: what is in force is not known. */
export class FilterLostError extends Error {
  override readonly name = "FilterLostError";
}

/** Whether the tools say so; everything else is a bug of ours. */
export function isOfTools(error: unknown): error is FilterLostError | FilterRefusedError {
  return error instanceof FilterLostError || error instanceof FilterRefusedError;
}
