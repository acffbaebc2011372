// A real Prometheus on 127.0.0.1 for the time of a test, with state in a folder of the test's: it scrapes each second. Refuses
// to go on when it says that its configuration is wrong. After `stop` the process is gone.

import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stringify } from "yaml";
import { eventually } from "./eventually.ts";
import type { PrometheusPrograms } from "./find-prometheus.ts";

export type PrometheusLabels = Readonly<Record<string, string>>;

export interface PrometheusSeries {
  readonly metric: PrometheusLabels;
  /** [seconds since 1970, value]. */
  readonly values: readonly (readonly [number, number])[];
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data?: {
    readonly result?: readonly {
      readonly metric: PrometheusLabels;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
    readonly alerts?: readonly {
      readonly labels: PrometheusLabels;
      readonly annotations: PrometheusLabels;
      readonly state: string;
    }[];
  };
}

export interface PrometheusOptions {
  readonly programs: PrometheusPrograms;
  readonly folder: string;
  /** Text of a file of rules. */
  readonly rules: string;
  readonly jobs: Readonly<Record<string, ScrapeJob>>;
  /** `host:port` of what takes its alerts as an Alertmanager does; none: nobody is told. */
  readonly alertmanager?: string;
}

export interface ScrapeJob {
  /** `host:port`, under the name that shall be its instance. */
  readonly targets: Readonly<Record<string, string>>;
  /** What else a scrape needs: scheme, tls_config, authorization. */
  readonly scrape?: Readonly<Record<string, unknown>>;
}

export class PrometheusServer {
  readonly #child: ChildProcess;
  readonly #url: string;
  #said = "";

  private constructor(program: string, args: readonly string[], url: string) {
    this.#url = url;
    this.#child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
  }

  /** Resolves when it answers. */
  static async start({ programs, folder, ...options }: PrometheusOptions): Promise<PrometheusServer> {
    const port = await freePort();
    const config = join(folder, "prometheus.yaml");
    writeFileSync(join(folder, "rules.yaml"), options.rules);
    writeFileSync(config, stringify(configOf(options)));
    const { status, stdout, stderr } = spawnSync(programs.promtool, ["check", "config", config], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`promtool check config: ${stdout}${stderr}`);
    const listen = `127.0.0.1:${port}`;
    const server = new PrometheusServer(
      programs.prometheus,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=${listen}`,
      ],
      `http://${listen}`,
    );
    try {
      await eventually(async () => {
        if (server.#child.exitCode !== null) throw new Error(server.#said);
        const { ok } = await fetch(`${server.#url}/-/ready`);
        if (!ok) throw new Error("not ready yet");
      }, 30_000);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** What an expression gives now. Rejects with Prometheus' own words when it is not one. */
  async query(expr: string): Promise<readonly PrometheusSeries[]> {
    const { data } = await this.#get("query", { query: expr });
    return (data?.result ?? []).map(({ metric, value }) => ({
      metric,
      values: value === undefined ? [] : [sample(value)],
    }));
  }

  /** Times in seconds since 1970, step in seconds. */
  async range(expr: string, start: number, end: number, step: number): Promise<readonly PrometheusSeries[]> {
    const { data } = await this.#get("query_range", { query: expr, start, end, step });
    return (data?.result ?? []).map(({ metric, values = [] }) => ({ metric, values: values.map(sample) }));
  }

  /** `name state` of each alert that is not quiet, with the labels and annotations that people get. */
  async alerts() {
    const { data } = await this.#get("alerts", {});
    return data?.alerts ?? [];
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    // Its data goes with the folder: nothing is worth writing to the disk.
    this.#child.kill("SIGKILL");
    await ended;
  }

  async #get(path: string, parameters: Readonly<Record<string, string | number>>): Promise<Answer> {
    const asked = new URLSearchParams(
      Object.entries(parameters).map(([key, value]): [string, string] => [key, String(value)]),
    );
    const response = await fetch(`${this.#url}/api/v1/${path}?${asked.toString()}`);
    const answer = (await response.json()) as Answer;
    if (answer.status !== "success") throw new Error(`${JSON.stringify(parameters)}: ${answer.error ?? ""}`);
    return answer;
  }
}

const sample = ([at, value]: readonly [number, string]): readonly [number, number] => [at, Number(value)];

function configOf({ jobs, alertmanager }: Pick<PrometheusOptions, "jobs" | "alertmanager">): unknown {
  return {
    ...(alertmanager === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] } }),
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: ["rules.yaml"],
    scrape_configs: Object.entries(jobs).map(([name, { targets, scrape = {} }]) => ({
      job_name: name,
      ...scrape,
      static_configs: Object.entries(targets).map(([instance, address]) => ({
        targets: [address],
        labels: { instance },
      })),
    })),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
