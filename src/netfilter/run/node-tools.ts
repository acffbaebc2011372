// The tools of the node that this program runs on: of the flavour that is asked for, or of the one that the node uses. Refuses to read,
// so that nothing is written, while rules of other programs use our bits of the mark.

import type { Clock } from "../../lib/clock.ts";
import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { FilterTools, Saves } from "../live/filter-tools.ts";
import { FilterLostError, FilterRefusedError, isOfTools } from "../live/filter-tools.ts";
import { chainPrefix } from "../names.ts";
import type { Flavour, OwnBits } from "../options.ts";
import { flavours } from "../options.ts";
import { flavourOf } from "./flavour.ts";
import { useOfMark } from "./mark-use.ts";
import { NftMonitor } from "./nft-monitor.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { runTool } from "./tool-process.ts";
import type { ToolRun } from "./tools.ts";
import { ProcessTools, toolNames } from "./tools.ts";

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
  #otherChains: string | null = null;
  #monitor: NftMonitor | null = null;

  constructor(options: NodeToolsOptions) {
    this.#options = options;
  }

  /** What is amiss though rules can be written, one sentence each. */
  notes(): readonly string[] {
    return this.#otherChains === null ? [] : [this.#otherChains];
  }

  /** Of both flavours, by the tool; those that cannot be used print nothing. */
  async natTables(): Promise<ReadonlyMap<string, string>> {
    const { place, families } = this.#options;
    const asked = flavours.flatMap((flavour) =>
      families.map(async (family) => {
        // To ask for a table by name makes it, where the flavour is legacy.
        const table = flavour === "nft" ? ["-t", "nat"] : [];
        const tool = `${toolNames[family]}-${flavour}`;
        return [tool, await textOrNone(runTool(place, `${tool}-save`, table))] as const;
      }),
    );
    return new Map(await Promise.all(asked));
  }

  async read(): Promise<Saves> {
    const tools = this.#chosen ?? (await this.#choose());
    const saves = await tools.read();
    this.#refuseMarks(ipFamilies.map((family) => saves.rules[family]).join(""));
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
    const saved = (of: Flavour) =>
      Promise.all(families.map((family) => runTool(place, `${toolNames[family]}-${of}-save`, [])));
    this.#refuseMarks((await saved(flavour)).join(""));
    this.#otherChains = await chainsOfOther(flavour, saved);
    this.#chosen = new ProcessTools({ place, flavour, families, ran });
    if (flavour === "nft") this.#monitor = new NftMonitor(place, clock, changed);
    return this.#chosen;
  }

  #refuseMarks(save: string): void {
    const use = useOfMark(save, this.#options.bits);
    if (use === null) return;
    const flag = { packet: "--mark", connection: "--established recheck" }[use.of];
    throw new FilterRefusedError(`a rule of another program uses the bits of ${flag}: ${use.rule}`);
  }
}

/** "": the tool cannot be used. */
async function textOrNone(output: Promise<string>): Promise<string> {
  try {
    return await output;
  } catch (error) {
    if (isOfTools(error)) return "";
    throw error;
  }
}

/** Of an earlier run with the other flavour, which the kernel asks too; null: there are none. */
async function chainsOfOther(
  flavour: Flavour,
  saved: (of: Flavour) => Promise<readonly string[]>,
): Promise<string | null> {
  const [other] = flavours.filter((one) => one !== flavour);
  if (other === undefined) return null;
  try {
    const texts = await saved(other);
    if (!texts.some((text) => new RegExp(`^:${chainPrefix}`, "m").test(text))) return null;
    return `iptables-${other} has chains of Northgate's too, which are in force: northgate cleanup removes them`;
  } catch (error) {
    // Tools that cannot be used have written nothing.
    if (isOfTools(error)) return null;
    throw error;
  }
}
