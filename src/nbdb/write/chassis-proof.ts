// Proves that the rows have reached the chassis, with OVN's own protocol, as `ovn-nbctl --wait=hv` uses it:
// NB_Global.nb_cfg is raised by one, and hv_cfg reaches that number when every chassis has programmed the NB rows of
// that moment (ovn-nb(5) NB_Global). Raises the number only on request, once for all requests that wait together.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { Proof } from "../../policy/contracts/proof.ts";
import type { NorthboundView, NorthboundWriter } from "./northbound-writer.ts";
import { isWriteFailure } from "./northbound-writer.ts";

interface Waiting {
  readonly proof: Proof;
  readonly timer: Timer;
}

export interface ChassisProofOptions {
  readonly session: NorthboundView;
  readonly writer: NorthboundWriter;
  readonly clock: Clock;
  /** Milliseconds until `late`. */
  readonly patienceMs: number;
}

/** How long to wait before a failed raise is tried again. */
const retryMs = 1_000;

export class ChassisProof {
  readonly #options: ChassisProofOptions;
  /** Requests whose number is not in the database yet. */
  readonly #asked = new Set<Waiting>();
  /** Requests by the value of nb_cfg that hv_cfg must reach. */
  readonly #sent = new Map<number, ReadonlySet<Waiting>>();
  #raising = false;
  #retry: Timer | null = null;
  readonly #unsubscribe: () => void;

  constructor(options: ChassisProofOptions) {
    this.#options = options;
    this.#unsubscribe = options.session.subscribe({
      ready: () => {
        this.#raise();
        this.#settle();
      },
      changed: () => {
        this.#settle();
      },
    });
  }

  /** Call when the rows to be proven have been committed. */
  ask(proof: Proof): void {
    const { clock, patienceMs } = this.#options;
    const timer = clock.after(patienceMs, () => {
      proof.late();
    });
    this.#asked.add({ proof, timer });
    this.#raise();
  }

  stop(): void {
    this.#unsubscribe();
    this.#retry?.cancel();
    const sent = [...this.#sent.values()].flatMap((waiting) => [...waiting]);
    for (const { timer } of [...this.#asked, ...sent]) timer.cancel();
    this.#asked.clear();
    this.#sent.clear();
  }

  #raise(): void {
    if (this.#raising || this.#asked.size === 0 || !this.#options.session.ready) return;
    this.#raising = true;
    const asked = new Set(this.#asked);
    this.#write(asked)
      .finally(() => {
        this.#raising = false;
      })
      .then(
        () => {
          this.#raise();
        },
        (error: unknown) => {
          if (!isWriteFailure(error)) throw error;
          // Without a connection, the next connection raises it, however late.
          this.#retry = this.#options.clock.after(retryMs, () => {
            this.#raise();
          });
        },
      );
  }

  async #write(asked: ReadonlySet<Waiting>): Promise<void> {
    await this.#options.writer.transact([
      {
        op: "mutate",
        table: "NB_Global",
        where: [],
        mutations: [{ column: "nb_cfg", mutator: "+=", value: 1 }],
      },
    ]);
    for (const waiting of asked) this.#asked.delete(waiting);
    // The cache already holds the raised number; another client may have raised it further, which proves as much.
    const target = this.#row()?.nb_cfg ?? 0;
    this.#sent.set(target, new Set([...(this.#sent.get(target) ?? []), ...asked]));
    this.#settle();
  }

  #settle(): void {
    const reached = this.#row()?.hv_cfg ?? -1;
    for (const [target, waiting] of this.#sent) {
      if (reached < target) continue;
      this.#sent.delete(target);
      for (const { proof, timer } of waiting) {
        timer.cancel();
        proof.proven();
      }
    }
  }

  #row(): { readonly nb_cfg: number; readonly hv_cfg: number } | null {
    for (const [, row] of this.#options.session.cache.table("NB_Global").entries()) return row;
    return null;
  }
}
