// The tools of the node that this program runs on: of the flavour that is asked for, or of the one that the node uses. Refuses to read,
// so that nothing is written, while rules of other programs use our bits of the mark.

import type { Clock } from "../../lib/clock.ts";
import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { FilterTools, Saves } from "../live/filter-tools.ts";
import { FilterLostError } from "../live/filter-tools.ts";
import { chainPrefix } from "../names.ts";
import type { Flavour, OwnBits } from "../options.ts";
import { flavours } from "../options.ts";
import { flavourOf } from "./flavour.ts";
import { refuseMarks } from "./masquerade/mark-use.ts";
import { NftMonitor } from "./nft-monitor.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { notesOfChains, notesOfTable, printedBy, savedBy } from "./checks/other-writers.ts";
import type { ToolRun } from "./tool-runs.ts";
import { ProcessTools } from "./tools.ts";

/** A change of ours, or of a hook that has our jump, or of everything. */
const ofOurs = new RegExp(`\\bip6? filter(?: (?:${chainPrefix}|FORWARD\\b|INPUT\\b)|$)`);

export interface NodeToolsOptions {
  readonly place: ToolsPlace;
  /** null: the one that the node's own programs use. */
  readonly flavour: Flavour | null;
  /** Of marks, which no other program may use. */
  readonly bits: OwnBits;
  /** That rules are written for. */
  readonly families: readonly IpFamily[];
  readonly ran: (run: ToolRun) => void;
  readonly clock: Clock;
  /** Is called when another program has changed rules that are ours, or a chain that calls ours; not with legacy. */
  readonly changed: () => void;
}

export class NodeTools implements FilterTools {
  readonly #options: NodeToolsOptions;
  #chosen: ProcessTools | null = null;
  #notes: readonly string[] = [];
  #monitor: NftMonitor | null = null;

  constructor(options: NodeToolsOptions) {
    this.#options = options;
  }

  /** What is amiss though rules can be written, one sentence each. */
  notes(): readonly string[] {
    return this.#notes;
  }

  async read(): Promise<Saves> {
    const tools = this.#chosen ?? (await this.#choose());
    const saves = await tools.read();
    refuseMarks(ipFamilies.map((family) => saves.rules[family]).join(""), this.#options.bits);
    return saves;
  }

  setSizes(): Promise<ReadonlyMap<string, number>> {
    return this.#tools().setSizes();
  }

  changeSets(script: string): Promise<void> {
    return this.#tools().changeSets(script);
  }

  async changeRules(family: IpFamily, text: string): Promise<void> {
    const tools = this.#tools();
    this.#monitor?.expect();
    try {
      await tools.changeRules(family, text);
    } catch (error) {
      this.#monitor?.expectNot();
      throw error;
    }
  }

  /** Ends the tools that run. */
  stop(): void {
    this.#monitor?.stop();
    this.#chosen?.stop();
  }

  #tools(): ProcessTools {
    if (this.#chosen === null) throw new FilterLostError("the packet filter is not read yet");
    return this.#chosen;
  }

  async #choose(): Promise<ProcessTools> {
    const { place, ran, flavour: given, families, clock, changed } = this.#options;
    const flavour = given ?? (await flavourOf(place));
    refuseMarks(await savedBy(place, families, flavour), this.#options.bits);
    const [other] = flavours.filter((one) => one !== flavour);
    const chains = other === undefined ? [] : notesOfChains(other, await printedBy(place, families, other));
    this.#notes = [...chains, ...(await notesOfTable(place))];
    this.#chosen = new ProcessTools({ place, flavour, families, ran });
    if (flavour === "nft")
      this.#monitor = new NftMonitor({ place, clock, changed, ofOurs, isSilenceOurs: false });
    return this.#chosen;
  }
}
