// Changes of rules as the kernel reports them: `nft monitor` prints each change, and a line for each transaction when it is over. It
// says nothing of iptables-legacy, and nothing of sets of ipset. Those who write themselves say so: their transactions count as seen.

import { createInterface } from "node:readline";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { PrintingTool, ToolsPlace } from "./tool-process.ts";
import { startPrintingTool } from "./tool-process.ts";

export interface NftMonitorOptions {
  readonly place: ToolsPlace;
  readonly clock: Clock;
  /** The lines about ours. */
  readonly ofOurs: RegExp;
  /** Is called for each transaction of another program that touches ours, or that is reported without a line. */
  readonly changed: () => void;
}

const transaction = "# new generation ";

/** Milliseconds until it is run again, where it has ended. */
const retryMs = 5_000;

export class NftMonitor {
  readonly #options: NftMonitorOptions;
  #child: PrintingTool | null = null;
  #timer: Timer | null = null;
  #isStopped = false;
  /** Whether no line of the transaction is about ours; null: it has no line yet. */
  #isOther: boolean | null = null;
  /** Transactions of this program that are not reported yet. */
  #expected = 0;

  constructor(options: NftMonitorOptions) {
    this.#options = options;
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
    const child = startPrintingTool(this.#options.place, "nft", ["monitor"]);
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
    this.#timer = this.#options.clock.after(retryMs, () => {
      this.#start();
      this.#options.changed();
    });
  }

  #read(line: string): void {
    if (!line.startsWith(transaction)) {
      this.#isOther = !this.#options.ofOurs.test(line) && this.#isOther !== false;
      return;
    }
    const isOther = this.#isOther === true;
    this.#isOther = null;
    if (isOther) return;
    if (this.#expected > 0) this.#expected--;
    else this.#options.changed();
  }
}
