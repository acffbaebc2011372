// One instance of the real program: a process, its folder of manifests, and a proxy before each server, through which its
// transactions that the database refused are counted.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Scrape } from "../../e2e/prometheus.ts";
import type { KubernetesObject } from "../../test/kube/api.ts";
import type { Server } from "../../test/ovsdb/real-server.ts";
import { Proxy } from "../../test/ovsdb/proxy.ts";
import { mainFile } from "../../test/support/main-file.ts";
import { type Running, startNorthgate } from "../../test/support/program.ts";
import { until } from "./until.ts";

export interface InstanceOptions {
  readonly name: string;
  /** Of the arena: a guard ends what names it and has its pid file there. */
  readonly dir: string;
  readonly servers: readonly Server[];
  readonly withOwn: boolean;
  /** In place of a folder of manifests. */
  readonly source?: readonly string[];
  /** More flags. */
  readonly args?: readonly string[];
  /** Of 127.0.0.1; 0 or absent: another one for each process. */
  readonly metricsPort?: number;
  /** The path of the program's main file; this tree's unless given. */
  readonly program?: string;
}

/** A program by its main file, with flags of its own. */
export interface Build {
  readonly main: string;
  readonly args: readonly string[];
}

/** What /readyz answered, or how the process ended. */
export interface Status {
  readonly code: number | null;
  readonly text: string;
}

const bad = /unhandled|this is a bug|\.ts:\d+:\d+|node:internal|^\s+at /i;

export class Instance {
  readonly name: string;
  readonly withOwn: boolean;
  readonly proxies: readonly Proxy[];
  /** Transactions that failed at a `wait`, the fence's and the election's. */
  refused = 0;
  readonly #options: InstanceOptions;
  /** The main file of the next start, and flags of it alone. */
  #program: Build;
  #running: Running | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  /** Every process of this instance so far. */
  readonly pids = new Set<number>();

  constructor(options: InstanceOptions) {
    this.#options = options;
    this.#program = { main: options.program ?? mainFile, args: [] };
    this.name = options.name;
    this.withOwn = options.withOwn;
    mkdirSync(this.folder, { recursive: true });
    const mark = '"error":"timed out"';
    let tail = "";
    const heard = (chunk: Buffer): void => {
      const text = tail + chunk.toString("latin1");
      this.refused += text.split(mark).length - 1;
      tail = text.slice(1 - mark.length);
    };
    this.proxies = options.servers.map(
      (server, at) => new Proxy(server.file("sock"), join(options.dir, `${this.name}${at}.sock`), heard),
    );
  }

  get folder(): string {
    return join(this.#options.dir, `${this.name}.d`);
  }

  /** Where its metrics are for as long as the arena lives, `host:port`; only with a `metricsPort`. */
  get scraped(): string {
    return `127.0.0.1:${this.#options.metricsPort ?? 0}`;
  }

  get pid(): number | null {
    return this.#running?.child.pid ?? null;
  }

  /** Replaces the manifests at once. */
  write(objects: readonly KubernetesObject[]): void {
    const draft = join(this.#options.dir, `${this.name}.draft`);
    writeFileSync(draft, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    renameSync(draft, join(this.folder, "objects.json"));
  }

  async listen(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.listen()));
  }

  async start(): Promise<void> {
    await this.listen();
    const { dir, source = [`--source=dir:${this.folder}`], args = [], metricsPort = 0 } = this.#options;
    const { main, args: ofBuild } = this.#program;
    const words = [
      ...source,
      ...args,
      ...ofBuild,
      `--nb=${this.proxies.map(({ remote }) => remote).join(",")}`,
      `--metrics-bind-address=127.0.0.1:${metricsPort}`,
      `--config=${join(dir, "northgate.yaml")}`,
    ];
    const running = startNorthgate(words, {}, {}, "json", main);
    this.#running = running;
    const { pid } = running.child;
    if (pid === undefined) throw new Error("the program could not be started");
    this.pids.add(pid);
    writeFileSync(this.#pidFile, `${pid}\n`);
    this.#ended = new Promise((resolve) => running.child.once("exit", resolve));
  }

  /** From its next start on, it is this program. */
  become(build: Build): void {
    this.#program = build;
  }

  /** When its process wrote its first line, on the clock of `performance`: what is before is the start of Node. */
  async begun(): Promise<number> {
    let began: unknown;
    await until(`${this.name} begins`, () => {
      began = this.#running?.log().at(0)?.["time"];
      return began !== undefined;
    });
    return Date.parse(String(began)) - performance.timeOrigin;
  }

  /** SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.#running?.child.kill(signal);
  }

  /** Resolves when it is gone. By SIGTERM it must end with 0. Its log must tell of no bug. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    if (signal === "SIGKILL") running.child.kill("SIGCONT");
    const code = await running.end(signal);
    await this.#ended;
    rmSync(this.#pidFile, { force: true });
    if (signal === "SIGTERM" && code !== 0) throw new Error(`${this.name} ended with ${String(code)}`);
    const lines = running.log().map((line) => JSON.stringify(line));
    const bug = lines.find((line) => bad.test(line) || line.includes('"level":"error"'));
    if (bug !== undefined) throw new Error(`${this.name} logged ${bug}`);
  }

  async metrics(): Promise<Scrape> {
    return new Scrape(await (await fetch(`${await this.#address()}/metrics`)).text());
  }

  async readiness(): Promise<string> {
    return (await this.status()).text;
  }

  async status(): Promise<Status> {
    const answer = await fetch(`${await this.#address()}/readyz`);
    return { code: answer.status, text: (await answer.text()).trim() };
  }

  /** Of a process that ends by itself: its exit code and what it printed. */
  async ended(): Promise<Status> {
    const running = this.#running;
    const code = await this.#ended;
    this.#running = null;
    rmSync(this.#pidFile, { force: true });
    return { code, text: running?.text() ?? "" };
  }

  /** It has reconciled, or stands by. */
  async ready(): Promise<void> {
    await until(`${this.name} is ready`, async () => (await this.readiness()).startsWith("ok"), 60_000);
  }

  /** Operations on rows since its process began. */
  async operations(): Promise<number> {
    return (await this.metrics()).value("northgate_nb_operations_total") ?? 0;
  }

  async close(): Promise<void> {
    await this.end("SIGKILL").catch(() => undefined);
    await Promise.all(this.proxies.map((proxy) => proxy.cut()));
  }

  get #pidFile(): string {
    return join(this.#options.dir, `${this.name}.pid`);
  }

  async #address(): Promise<string> {
    let found: unknown;
    await until(
      `${this.name} serves metrics`,
      () => {
        found = this.#running?.log().find((line) => line["message"] === "metrics are served")?.["address"];
        return found !== undefined;
      },
      30_000,
    );
    return String(found);
  }
}
