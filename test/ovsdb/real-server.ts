// A real ovsdb-server for tests, with the Northbound schema or one made from it. Where there is no OVN,
// suites that need it are skipped, and say why. Daemons are ended by their pid files.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as Listener } from "node:net";
import { join } from "node:path";
import type { OvnInstall } from "../../tools/sandbox/find-ovn.ts";
import { ovnOrSkip } from "../support/find.ts";

/** The OVN whose servers are used; null: this machine has none, and that has been said. */
export const ovn = await ovnOrSkip();

function install(): OvnInstall {
  if (ovn === null) throw new Error("this machine has no OVN");
  return ovn;
}

export function northboundSchema(): { tables: Record<string, { columns: Record<string, unknown> }> } {
  return JSON.parse(readFileSync(install().schemas.nb, "utf8")) as ReturnType<typeof northboundSchema>;
}

function run(program: keyof OvnInstall["programs"], args: readonly string[]): string {
  const path = install().programs[program];
  if (path === undefined) throw new Error(`this machine's OVN comes without ${program}`);
  return execFileSync(path, args, { encoding: "utf8", stdio: "pipe" });
}

const folders: string[] = [];

/** A new folder with a short path, as sockets need. */
export function newFolder(): string {
  const folder = mkdtempSync("/tmp/ng-");
  folders.push(folder);
  return folder;
}

/** Ends every daemon this file started and removes its folders. */
export function stopAll(): void {
  for (const server of servers) server.kill();
  servers.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

const servers = new Set<Server>();

export interface ServerOptions {
  readonly folder?: string;
  readonly name?: string;
  /** The schema; absent: OVN's. Ignored when the database exists. */
  readonly schema?: unknown;
  /** Beside the unix socket, as in --remote: ptcp:PORT:127.0.0.1. */
  readonly listen?: readonly string[];
  readonly args?: readonly string[];
}

export class Server {
  readonly folder: string;
  readonly #name: string;
  readonly #args: readonly string[];

  constructor(options: ServerOptions = {}) {
    this.folder = options.folder ?? newFolder();
    this.#name = options.name ?? "nb";
    this.#args = [...(options.listen ?? []).map((remote) => `--remote=${remote}`), ...(options.args ?? [])];
    if (!existsSync(this.file("db"))) {
      const schema = this.file("ovsschema");
      writeFileSync(schema, JSON.stringify(options.schema ?? northboundSchema()));
      run("ovsdb-tool", ["create", this.file("db"), schema]);
    }
    this.start();
  }

  get remote(): string {
    return `unix:${this.file("sock")}`;
  }

  file(extension: string): string {
    return join(this.folder, `${this.#name}.${extension}`);
  }

  /** Returns when the server listens. */
  start(): void {
    run("ovsdb-server", [
      this.file("db"),
      `--remote=punix:${this.file("sock")}`,
      ...this.#args,
      `--unixctl=${this.file("ctl")}`,
      `--pidfile=${this.file("pid")}`,
      "-vconsole:off",
      "-vsyslog:off",
      "-vfile:info",
      `--log-file=${this.file("log")}`,
      "--no-chdir",
      "--detach",
    ]);
    servers.add(this);
  }

  /** Ends the server at once and returns when it is gone. */
  kill(): void {
    servers.delete(this);
    const pidFile = this.file("pid");
    if (!existsSync(pidFile)) return;
    const pid = readFileSync(pidFile, "utf8").trim();
    spawnSync("kill", ["-9", pid]);
    while (existsSync(`/proc/${pid}`) && !zombie(pid)) spawnSync("sleep", ["0.005"]);
    rmSync(pidFile, { force: true });
  }

  /** Stops the server's process, or lets it go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    process.kill(Number(readFileSync(this.file("pid"), "utf8")), signal);
  }

  /** ovs-appctl to this server. */
  control(...command: readonly string[]): string {
    return run("ovs-appctl", ["-t", this.file("ctl"), ...command]);
  }
}

function zombie(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return true;
  }
}

/** Ports of 127.0.0.1 that nobody listened on just now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const listeners = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Listener>((resolve) => {
          const listener = createServer().listen(0, "127.0.0.1", () => {
            resolve(listener);
          });
        }),
    ),
  );
  return Promise.all(
    listeners.map(
      (listener) =>
        new Promise<number>((resolve) => {
          const address = listener.address();
          listener.close(() => {
            resolve(typeof address === "object" && address !== null ? address.port : 0);
          });
        }),
    ),
  );
}

/** A Northbound cluster of three on loopback. */
export async function startCluster(): Promise<readonly Server[]> {
  const folder = newFolder();
  const ports = await freePorts(3);
  const db = (member: number) => join(folder, `nb${member}.db`);
  const raft = (member: number) => `tcp:127.0.0.1:${ports[member - 1] ?? 0}`;
  run("ovsdb-tool", ["create-cluster", db(1), install().schemas.nb, raft(1)]);
  const members = [new Server({ folder, name: "nb1" })];
  const cid = run("ovsdb-tool", ["db-cid", db(1)]).trim();
  for (const member of [2, 3]) {
    run("ovsdb-tool", [`--cid=${cid}`, "join-cluster", db(member), "OVN_Northbound", raft(member), raft(1)]);
    members.push(new Server({ folder, name: `nb${member}` }));
  }
  for (const member of members) {
    run("ovsdb-client", ["--timeout=20", "wait", member.remote, "OVN_Northbound", "connected"]);
  }
  return members;
}
