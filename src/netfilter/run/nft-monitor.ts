// Changes of rules as the kernel reports them: `nft monitor` prints each change, and a line for each transaction when it is over. It
// says nothing of iptables-legacy, and nothing of sets of ipset. Those who write themselves say so: their transactions count as seen.

import { createInterface } from "node:readline";
import type { Clock, Timer } from "../../lib/clock.ts";
import { chainPrefix } from "../names.ts";
import type { PrintingTool, ToolsPlace } from "./tool-process.ts";
import { startPrintingTool } from "./tool-process.ts";

/** A change of ours, or of a hook that has our jump, or of everything. */
const ofOurs = new RegExp(`\\bip6? filter(?: (?:${chainPrefix}|FORWARD\\b|INPUT\\b)|$)`);
const transaction = "# new generation ";

/** Milliseconds until it is run again, where it has ended. */
const retryMs = 5_000;

export class NftMonitor {
  readonly #place: ToolsPlace;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #child: PrintingTool | null = null;
  #timer: Timer | null = null;
  #isStopped = false;
  #isOurs = false;
  /** Transactions of this program that are not reported yet. */
  #expected = 0;

  /** `changed` is called for each transaction of another program that touches ours. */
  constructor(place: ToolsPlace, clock: Clock, changed: () => void) {
    this.#place = place;
    this.#clock = clock;
    this.#changed = changed;
    this.#start();
  }

  /** This program begins a transaction. */
  expect(): void {
    this.#expected++;
  }

  /** It was refused. */
  expectNot(): void {
    this.#expected = Math.max(0, this.#expected - 1);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#child?.kill("SIGKILL");
  }

  #start(): void {
    const child = startPrintingTool(this.#place, "nft", ["monitor"]);
    this.#child = child;
    this.#expected = 0;
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#read(line);
    });
    child.on("error", () => undefined);
    child.on("close", () => {
      this.#restart();
    });
  }

  /** What happened meanwhile is not known. */
  #restart(): void {
    if (this.#isStopped) return;
    this.#timer = this.#clock.after(retryMs, () => {
      this.#start();
      this.#changed();
    });
  }

  #read(line: string): void {
    if (ofOurs.test(line)) this.#isOurs = true;
    if (!line.startsWith(transaction) || !this.#isOurs) return;
    this.#isOurs = false;
    if (this.#expected > 0) this.#expected--;
    else this.#changed();
  }
}
