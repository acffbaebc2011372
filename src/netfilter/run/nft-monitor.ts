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
  /** Whether a transaction may be about ours of which no line is printed: where a set is deleted, nft loses sight of the others. */
  readonly isSilenceOurs: boolean;
  /** Is called for each transaction of another program that touches ours; where none is printed, a while later, once for several. */
  readonly changed: () => void;
}

const transaction = "# new generation ";

/** Milliseconds until it is run again, where it has ended. */
const retryMs = 5_000;
/**
 * Milliseconds until a transaction without a line counts as a change. Twice as many with each, since kube-proxy may write many, and the
 * first again after a quiet minute.
 */
const silence = { firstMs: 500, mostMs: 30_000, quietMs: 60_000 } as const;

export class NftMonitor {
  readonly #options: NftMonitorOptions;
  #child: PrintingTool | null = null;
  #timer: Timer | null = null;
  #silence: Timer | null = null;
  #silenceMs: number = silence.firstMs;
  #silentAt = -Infinity;
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
    this.#silence?.cancel();
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
    const isOther = this.#isOther;
    this.#isOther = null;
    if (isOther === true || (isOther === null && !this.#options.isSilenceOurs)) return;
    if (this.#expected > 0) this.#expected--;
    else if (isOther === null) this.#silent();
    else this.#options.changed();
  }

  #silent(): void {
    const { clock, changed } = this.#options;
    const quietMs = clock.now() - this.#silentAt;
    this.#silentAt = clock.now();
    if (this.#silence !== null) return;
    if (quietMs > silence.quietMs) this.#silenceMs = silence.firstMs;
    this.#silence = clock.after(this.#silenceMs, () => {
      this.#silence = null;
      changed();
    });
    this.#silenceMs = Math.min(2 * this.#silenceMs, silence.mostMs);
  }
}
