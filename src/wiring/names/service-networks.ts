// The networks of Services, which no name may lead to: as the API server's ServiceCIDRs say, looked up again and again. While they
// cannot be looked up, the last ones stay.

import { failureOf, listServiceNetworks } from "../../kube/index.ts";
import type { KubeApi } from "../../kube/index.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { Repeating } from "../../lib/every.ts";
import type { Cidr } from "../../model/ip.ts";

export interface ServiceNetworksOptions {
  /** null: there is no API server. */
  readonly api: KubeApi | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives all of them, whenever they are others. */
  readonly found: (networks: readonly Cidr[]) => void;
  /** For a bug of ours. */
  readonly fatal: (error: unknown) => void;
}

const lookMs = 10_000;

export class FollowedServiceNetworks {
  readonly #options: ServiceNetworksOptions;
  readonly #looks: Repeating;
  #known = "";
  #problem: string | null = null;

  constructor(options: ServiceNetworksOptions) {
    const { clock, fatal } = options;
    this.#options = options;
    this.#looks = new Repeating({ task: (signal) => this.#ask(signal), pauseMs: () => lookMs, clock, fatal });
  }

  /** Ends when they were looked up, or could not be. */
  get looked(): Promise<void> {
    return this.#looks.running;
  }

  start(): void {
    if (this.#options.api === null) this.#tell("objects are not read from an API server");
    else this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { api, logger, found } = this.#options;
    if (api === null) return;
    try {
      const networks = await listServiceNetworks(api, signal);
      if (networks.length === 0) {
        this.#tell("the API server has no ServiceCIDR");
        return;
      }
      this.#problem = null;
      if (networks.join() === this.#known) return;
      this.#known = networks.join();
      logger.info("the networks of Services, which no name leads to", { networks });
      found(networks);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      if (signal.aborted) return;
      this.#tell(
        failure.kind === "missing"
          ? "the API server has no ServiceCIDRs, as before Kubernetes 1.33"
          : `ServiceCIDRs cannot be read: ${failure.message}`,
      );
    }
  }

  /** Once for each reason. Networks that were known before are still refused. */
  #tell(reason: string): void {
    if (this.#problem === reason) return;
    this.#problem = reason;
    const text =
      this.#known === ""
        ? "no network of Services is known, and names may lead to Services"
        : "the networks of Services cannot be looked up, and the last ones stay";
    this.#options.logger.warn(text, { reason, remedy: "--service-cidr" });
  }
}
