// How the text of a tool says what a program does, and how rules that a node has are taken apart again.

import type { IpFamily } from "../../model/ip.ts";
import type { ChainText } from "../print-hooks.ts";
import type { FilterProgram } from "../program.ts";
import type { SetForm } from "../set-contents.ts";
import type { ActualChains, TableName } from "./actual.ts";

/** A table, and whose addresses its rules are about. */
export interface TableOf {
  readonly name: TableName;
  readonly families: readonly IpFamily[];
}

export interface Item {
  readonly rules: readonly string[];
  /** What it calls; of an end the chain that denies; "": it decides by itself. */
  readonly target: string;
}

export interface BranchItems {
  readonly blocks: readonly Item[];
  readonly ends: readonly Item[];
}

/** The parts of chains that call others, so that some can stay where the others are written anew. */
export interface ChainForm {
  /** Of the chain of a side: the calls of its tiers, which are its last rules. */
  tierCalls(rules: readonly string[]): readonly Item[];
  /** The chains of namespaces that the chain of a tier leads to; none: it has the policies itself. */
  namespaces(tier: string, chains: ActualChains): readonly Item[];
  /** The rules of a tier's chain that leads to those of namespaces; `rules`: those that it has, or had. */
  dispatch(calls: readonly Item[], rules: readonly string[]): readonly string[];
  /** Of the chain of a tier, or of one of its namespaces. */
  branchItems(rules: readonly string[]): BranchItems;
}

export interface FilterLanguage {
  readonly tables: readonly TableOf[];
  readonly sets: SetForm;
  readonly chains: ChainForm;
  /** `table`: with the families that are served. */
  readonly print: (program: FilterProgram, table: TableOf) => readonly ChainText[];
  /** As they are written where the node has `actual`. */
  readonly numbered: (
    desired: readonly ChainText[],
    actual: ActualChains,
    table: TableOf,
  ) => readonly ChainText[];
  /** The sets that a rule names. */
  readonly setsIn: (rule: string) => readonly string[];
}
