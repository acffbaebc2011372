// An arena whose instances a real Prometheus reads, with the shipped rules on a short clock (shortened.ts), and somebody who is
// called by it. A stage is ready when nothing is amiss and nobody is called.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PrometheusPrograms } from "../../test/support/find-prometheus.ts";
import { type Ovn, openOvn } from "../../tools/sandbox/ovn.ts";
import { PrometheusServer } from "../../test/support/prometheus-server.ts";
import { Arena, type ArenaOptions } from "../arena/arena.ts";
import type { Instance } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import { ObservedNode } from "./observed-node.ts";
import { type Page, Pager } from "./pager.ts";
import { shortenedRules } from "./shortened.ts";

/** An instance that is held up for a second answers late. */
const scrape = { scrape_interval: "2s", scrape_timeout: "2s" };

export interface StageOptions {
  readonly northd?: boolean;
  readonly minute?: number;
  /** The reader of a node with packets of its own is read, too. */
  readonly reader?: boolean;
}

interface Parts {
  readonly arena: Arena;
  readonly pager: Pager;
  readonly prometheus: PrometheusServer;
  readonly ovn: Ovn | null;
  readonly node: ObservedNode | null;
}

export class AlertStage {
  readonly arena: Arena;
  readonly pager: Pager;
  /** SB and northd beside the arena's database; null: this ground has none. */
  readonly ovn: Ovn | null;
  readonly #prometheus: PrometheusServer;
  readonly #node: ObservedNode | null;

  private constructor({ arena, pager, prometheus, ovn, node }: Parts) {
    this.arena = arena;
    this.pager = pager;
    this.ovn = ovn;
    this.#prometheus = prometheus;
    this.#node = node;
  }

  /** `northd`: it runs too. `minute`: of the rules, in seconds. */
  static async open(
    programs: PrometheusPrograms,
    options: ArenaOptions,
    { northd = false, minute = 1, reader = false }: StageOptions = {},
  ): Promise<AlertStage> {
    const arena = await Arena.open({ ...options, steadyMetrics: true });
    const pager = await Pager.open();
    let node: ObservedNode | null = null;
    try {
      node = reader ? await ObservedNode.open() : null;
      const folder = join(arena.dir, "prometheus");
      mkdirSync(folder);
      const targets = Object.fromEntries(arena.instances.map(({ name, scraped }) => [name, scraped]));
      const prometheus = await PrometheusServer.start({
        ...{ programs, folder, rules: shortenedRules(minute), alertmanager: pager.address },
        jobs: { "northgate-system/northgate": { targets, scrape }, ...node?.job(scrape) },
      });
      // In the folder of the server: what it runs already stays.
      const ovn = northd ? await openOvn({ dir: arena.servers[0]?.folder ?? "" }) : null;
      await ovn?.start();
      const stage = new AlertStage({ arena, pager, prometheus, ovn, node });
      await stage.calm();
      return stage;
    } catch (error) {
      await node?.close();
      await pager.close();
      await arena.close();
      throw error;
    }
  }

  /** The node with a reader. */
  get node(): ObservedNode {
    if (this.#node === null) throw new Error("no reader of a node is on this stage");
    return this.#node;
  }

  /** The instance that is not the writer. */
  get second(): Instance {
    return this.arena.standby;
  }

  /** Of these alerts, each is firing now. */
  async fire(alerts: readonly string[], limitMs: number): Promise<void> {
    const missing = (): readonly string[] => {
      const firing = new Set(this.#firing().map(({ alert }) => alert));
      return alerts.filter((alert) => !firing.has(alert));
    };
    await until(`firing: ${alerts.join(", ")}`, () => missing().length === 0, limitMs).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}; not ${missing().join(", ")}`);
      },
    );
  }

  /** Nobody is called any more; nothing is pending either. */
  async calm(limitMs = 150_000): Promise<void> {
    let left: readonly string[] = [];
    const isCalm = async (): Promise<boolean> => {
      left = (await this.#prometheus.alerts()).map(({ labels }) => JSON.stringify(labels));
      const up = await this.#prometheus.query("sum(up)");
      const all = up[0]?.values[0]?.[1] === this.arena.instances.length + (this.#node === null ? 0 : 1);
      return all && left.length === 0 && this.#firing().length === 0;
    };
    await until("no alert is active", isCalm, limitMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; left: ${left.join(", ")}`);
    });
  }

  /** This alert is no longer firing, for any instance or reason. */
  async cleared(alert: string, limitMs: number): Promise<number> {
    const isClear = () => this.#firing().every((page) => page.alert !== alert);
    return until(`${alert} clears`, isClear, limitMs);
  }

  async close(): Promise<void> {
    await this.#prometheus.stop();
    await this.#node?.close();
    await this.pager.close();
    await this.ovn?.stop();
    await this.arena.close();
  }

  #firing(): readonly Page[] {
    return this.pager.pages.filter(({ isResolved }) => !isResolved);
  }
}
