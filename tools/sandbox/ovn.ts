// A private OVN on this machine: NB and SB servers and ovn-northd, with all state in one folder. Listens on unix
// sockets there, and on 127.0.0.1 on request. Touches no system daemon and no file elsewhere; after `stop` none of its
// processes is left, nor its folder if it made that itself.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { invariant } from "../../src/lib/invariant.ts";
import { type DaemonSpec, end, endAll, pidOf, start } from "./daemon.ts";
import { findOvn, type OvnInstall } from "./find-ovn.ts";
import { Guard } from "./guard.ts";
import { run } from "./program.ts";
import { transact } from "./transaction.ts";

export interface OvnOptions {
  /**
   * The folder of its state, kept by `stop`; without it, a new folder, removed by `stop`. Databases in the folder are
   * kept.
   */
  readonly dir?: string;
  /** Whether ovn-northd runs; true by default. */
  readonly northd?: boolean;
  /** A port of 127.0.0.1 for NB too; 0 takes a free one. */
  readonly tcpPort?: number;
  /** More arguments for the NB server, such as another --remote. */
  readonly nbArgs?: readonly string[];
  readonly install?: OvnInstall;
}

/** In the order for users. */
export const daemonNames = ["nb", "sb", "northd"] as const;
export type DaemonName = (typeof daemonNames)[number];

/** The longest path that sockaddr_un holds without its NUL; Node cuts a longer one and then finds no socket. */
const maxSocketPath = 107;

/** Whether sockets in this folder can be reached by every client. */
export function fitsSockets(dir: string): boolean {
  return Buffer.byteLength(join(resolve(dir), "external.sock")) <= maxSocketPath;
}

export class Ovn {
  readonly dir: string;
  readonly install: OvnInstall;
  /** NB and SB as remotes for any OVSDB client: "unix:<path>". */
  readonly nb: string;
  readonly sb: string;
  /** NB over TCP, on request. */
  readonly nbTcp: string | null;
  /** What OVN's tools need to find this instance. */
  readonly env: Readonly<Record<string, string>>;
  readonly #specs: ReadonlyMap<DaemonName, DaemonSpec>;
  readonly #ownsDir: boolean;
  #guard: Guard | null = null;

  constructor(dir: string, ownsDir: boolean, install: OvnInstall, options: OvnOptions) {
    this.dir = dir;
    this.install = install;
    this.nb = `unix:${join(dir, "nb.sock")}`;
    this.sb = `unix:${join(dir, "sb.sock")}`;
    this.nbTcp = options.tcpPort === undefined ? null : `tcp:127.0.0.1:${options.tcpPort}`;
    this.env = environment(dir, install, this.nb, this.sb);
    this.#ownsDir = ownsDir;
    this.#specs = specs(this, options);
  }

  /** Starts the daemons that do not run yet. */
  async start(): Promise<void> {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    if (this.#ownsDir) this.#guard ??= new Guard(this.dir);
    await Promise.all([this.#startServer("nb"), this.#startServer("sb")]);
    if (this.#specs.has("northd")) await this.#startDaemon("northd");
  }

  /** Ends every daemon of its folder, and removes the folder if it made it. */
  async stop(): Promise<void> {
    await endAll(this.dir);
    await this.#guard?.dismiss();
    this.#guard = null;
    if (this.#ownsDir) rmSync(this.dir, { recursive: true, force: true });
  }

  /** Ends the NB server; what it had committed stays in its file. */
  killNb(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    return end(this.dir, "nb", signal);
  }

  /** Ends the NB server if it runs, and starts it on the same file and remotes. */
  async restartNb(): Promise<void> {
    await end(this.dir, "nb");
    await this.#startDaemon("nb");
  }

  /** The pids of its daemons that run. */
  pids(): ReadonlyMap<DaemonName, number> {
    const running = new Map<DaemonName, number>();
    for (const name of daemonNames) {
      const pid = pidOf(this.dir, name);
      if (pid !== null) running.set(name, pid);
    }
    return running;
  }

  /** Returns the output of `ovn-nbctl`; `--` between commands makes them one transaction. */
  async nbctl(...args: readonly string[]): Promise<string> {
    return (await this.#tool("ovn-nbctl", ["--timeout=30", ...args])).stdout;
  }

  async sbctl(...args: readonly string[]): Promise<string> {
    return (await this.#tool("ovn-sbctl", ["--timeout=30", ...args])).stdout;
  }

  /** Sends a command to one of its daemons: `appctl("nb", "ovsdb-server/list-remotes")`. */
  async appctl(daemon: string, ...args: readonly string[]): Promise<string> {
    return (await this.#tool("ovs-appctl", ["-t", join(this.dir, `${daemon}.ctl`), ...args])).stdout;
  }

  /** Resolves when northd has compiled NB's present rows into SB, as `ovn-nbctl --wait=sb sync` does; rejects after 30 s. */
  async sync(): Promise<void> {
    const raised = [
      { op: "mutate", table: "NB_Global", where: [], mutations: [["nb_cfg", "+=", 1]] },
      { op: "select", table: "NB_Global", where: [], columns: ["nb_cfg"] },
    ];
    const [, global] = await transact(this.nb, "OVN_Northbound", raised);
    const [{ nb_cfg: wanted }] = (global as { rows: [{ nb_cfg: number }] }).rows;
    const until = { columns: ["sb_cfg"], until: "==", rows: [], timeout: 30_000 };
    await transact(this.nb, "OVN_Northbound", [
      { op: "wait", table: "NB_Global", where: [["sb_cfg", "<", wanted]], ...until },
    ]);
  }

  /** The log so far of a daemon of its folder. */
  log(name: string): string {
    const path = this.logPath(name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  logPath(name: string): string {
    return join(this.dir, `${name}.log`);
  }

  #tool(program: "ovn-nbctl" | "ovn-sbctl" | "ovn-trace" | "ovs-appctl", args: readonly string[]) {
    return run(this.install.programs[program], args, { env: { ...process.env, ...this.env } });
  }

  async #startServer(name: "nb" | "sb"): Promise<void> {
    const file = join(this.dir, `${name}.db`);
    if (!existsSync(file)) {
      await run(this.install.programs["ovsdb-tool"], ["create", file, this.install.schemas[name]]);
    }
    await this.#startDaemon(name);
  }

  async #startDaemon(name: DaemonName): Promise<void> {
    if (pidOf(this.dir, name) !== null) return;
    const spec = this.#specs.get(name);
    invariant(spec !== undefined, `no daemon ${name} here`);
    await start(this.dir, spec, { ...process.env, ...this.env });
  }
}

/** Starts an OVN. When starting fails, nothing of it is left. */
export async function startOvn(options: OvnOptions = {}): Promise<Ovn> {
  const ovn = await openOvn(options);
  try {
    await ovn.start();
  } catch (error) {
    await ovn.stop();
    throw error;
  }
  return ovn;
}

/**
 * Opens an OVN without starting it: one started earlier in `dir`, maybe by another process, or one that does not run
 * yet.
 */
export async function openOvn(options: OvnOptions = {}): Promise<Ovn> {
  const install = options.install ?? (await findOvn());
  const dir = options.dir === undefined ? mkdtempSync(join(shortTemporary(), "ng-")) : resolve(options.dir);
  if (!fitsSockets(dir)) throw new Error(`${dir}: too long a path for unix sockets, choose a shorter folder`);
  const tcpPort = options.tcpPort === 0 ? await freePort() : options.tcpPort;
  const settled = tcpPort === undefined ? options : { ...options, tcpPort };
  return new Ovn(dir, options.dir === undefined, install, settled);
}

function specs(ovn: Ovn, options: OvnOptions): ReadonlyMap<DaemonName, DaemonSpec> {
  const { programs } = ovn.install;
  const server = (name: "nb" | "sb", more: readonly string[]): DaemonSpec => ({
    name,
    program: programs["ovsdb-server"],
    args: [join(ovn.dir, `${name}.db`), `--remote=p${ovn[name]}`, ...more],
  });
  const tcp = options.tcpPort === undefined ? [] : [`--remote=ptcp:${options.tcpPort}:127.0.0.1`];
  const all = new Map<DaemonName, DaemonSpec>([
    ["nb", server("nb", [...tcp, ...(options.nbArgs ?? [])])],
    ["sb", server("sb", [])],
  ]);
  if (options.northd ?? true) {
    const args = [`--ovnnb-db=${ovn.nb}`, `--ovnsb-db=${ovn.sb}`];
    all.set("northd", { name: "northd", program: programs["ovn-northd"], args });
  }
  return all;
}

function environment(dir: string, install: OvnInstall, nb: string, sb: string): Record<string, string> {
  const env: Record<string, string> = { OVN_NB_DB: nb, OVN_SB_DB: sb };
  for (const product of ["OVS", "OVN"]) {
    for (const kind of ["RUNDIR", "LOGDIR", "DBDIR", "SYSCONFDIR"]) env[`${product}_${kind}`] = dir;
    env[`${product}_PKGDATADIR`] = dirname(install.schemas.nb);
  }
  if (install.source !== "installed") {
    env["PATH"] = `${dirname(install.programs["ovn-nbctl"])}:${process.env["PATH"] ?? ""}`;
  }
  return env;
}

/** $TMPDIR may be deep; /tmp is short. */
function shortTemporary(): string {
  return existsSync("/tmp") ? "/tmp" : tmpdir();
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.on("error", fail).listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === "object") done(address.port);
        else fail(new Error("no free port"));
      });
    });
  });
}
