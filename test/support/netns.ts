// Network namespaces of the kernel, each held by one process and by nothing else: no name, no mount, no file. So a
// namespace and every interface in it are gone when its process is, and that ends when this end of its input closes, however
// this process ends. Works as root, and else in a user namespace; says in words what a machine lacks for it.

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { accessSync, constants, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { patience } from "./patience.ts";

const tun = "/dev/net/tun";
const isRoot = process.getuid?.() === 0;
const unshare = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--net"] as const;

/** How long a process may take to end once its input is closed. */
const patienceMs = patience(5000);

/** Why there can be no namespaces with interfaces of the kernel here; null when there can. */
export function namespacesMissing(): string | null {
  try {
    accessSync(tun, constants.R_OK | constants.W_OK);
  } catch {
    return `${tun} cannot be written`;
  }
  return (
    refusal("nsenter", "--version") ??
    refusal("perl", "-MSocket", "-e", "1") ??
    refusal(...unshare, "ip", "link", "set", "lo", "up")
  );
}

function refusal(program: string, ...args: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: patience(10_000) });
  if (error === undefined && status === 0) return null;
  return `${[program, ...args].join(" ")}: ${error?.message ?? stderr.trim()}`;
}

/** A process in a network namespace of its own, with which one speaks in lines. */
export class NamespaceProcess {
  readonly pid: number;
  /** As the kernel tells namespaces apart. */
  readonly namespace: string;
  /** A command before those that are to run in the namespace. */
  readonly enter: readonly string[];
  heard: (line: string) => void = () => undefined;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<void>;

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, null>,
    pid: number,
    ended: Promise<void>,
  ) {
    this.#child = child;
    this.#ended = ended;
    this.pid = pid;
    this.namespace = readlinkSync(`/proc/${pid}/ns/net`);
    const rights = isRoot ? [] : ["--user", "--preserve-credentials"];
    this.enter = ["nsenter", `--target=${pid}`, ...rights, "--net"];
  }

  /** A namespace that one can enter. */
  static hold(): Promise<NamespaceProcess> {
    return NamespaceProcess.#start([...unshare, "/bin/sh", "-c", "echo ready; exec cat"]);
  }

  /** The program must say one line when it is ready and end when its input does. It has the rights of this namespace's holder. */
  beside(program: readonly string[]): Promise<NamespaceProcess> {
    return NamespaceProcess.#start([...this.enter, "unshare", "--net", ...program]);
  }

  /** As `beside`, in this namespace itself. */
  inside(program: readonly string[]): Promise<NamespaceProcess> {
    return NamespaceProcess.#start([...this.enter, ...program]);
  }

  static #start([program, ...args]: readonly string[]): Promise<NamespaceProcess> {
    return new Promise((resolve, reject) => {
      const child = spawn(program ?? "", args, {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, NODE_OPTIONS: "" },
        // A terminal's Ctrl-C must not end a pod before what uses it.
        detached: true,
      });
      const ended = new Promise<void>((done) => {
        child.once("exit", (code) => {
          reject(new Error(`${args.join(" ")}: ended with ${code ?? "a signal"} before it was ready`));
          done();
        });
      });
      child.once("error", reject);
      child.stdin.on("error", () => undefined); // It ended: whoever asked it something is told by silence.
      let held: NamespaceProcess | null = null;
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (held !== null) held.heard(line);
        else if (child.pid !== undefined) resolve((held = new NamespaceProcess(child, child.pid, ended)));
      });
    });
  }

  say(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Resolves when it is gone. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), patienceMs);
    await this.#ended;
    clearTimeout(timer);
  }
}
