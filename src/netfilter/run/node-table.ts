// The nft of the node that this program runs on, with a monitor of what other programs change in our table.

import type { TableTools } from "../live/filter-tools.ts";
import { tableName } from "../nft/script.ts";
import type { OwnBits } from "../options.ts";
import { flavours } from "../options.ts";
import { refuseMarks } from "./masquerade/mark-use.ts";
import type { NodeSideOptions } from "./node-side.ts";
import { NftMonitor } from "./nft-monitor.ts";
import { notesOfChains, printedBy } from "./checks/other-writers.ts";
import { ProcessTable } from "./table-tools.ts";

/** A change of our table. */
const ofTable = new RegExp(`\\b${tableName}\\b`);

export interface NodeTableOptions extends Omit<NodeSideOptions, "flags"> {
  /** Of marks, which no rule of iptables may use. */
  readonly bits: OwnBits;
}

export class NodeTable implements TableTools {
  readonly #options: NodeTableOptions;
  readonly #tools: ProcessTable;
  #monitor: NftMonitor | null = null;
  #notes: readonly string[] = [];

  constructor(options: NodeTableOptions) {
    this.#options = options;
    this.#tools = new ProcessTable(options);
  }

  /** What is amiss though rules can be written, one sentence each. */
  notes(): readonly string[] {
    return this.#notes;
  }

  async list(): Promise<string> {
    if (this.#monitor === null) await this.#start();
    return this.#tools.list();
  }

  async apply(script: string): Promise<void> {
    this.#monitor?.expect();
    try {
      await this.#tools.apply(script);
    } catch (error) {
      this.#monitor?.expectNot();
      throw error;
    }
  }

  /** Ends the tools that run. */
  stop(): void {
    this.#monitor?.stop();
    this.#tools.stop();
  }

  /** Changes are seen from before the first reading on. */
  async #start(): Promise<void> {
    const { place, families, clock, changed, bits } = this.#options;
    const saves = await Promise.all(flavours.map((flavour) => printedBy(place, families, flavour)));
    refuseMarks(saves.join(""), bits);
    this.#notes = flavours.flatMap((flavour, at) => notesOfChains(flavour, saves[at] ?? ""));
    this.#monitor = new NftMonitor({ place, clock, changed, ofOurs: ofTable, isSilenceOurs: true });
  }
}
