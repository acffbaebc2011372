// `northgate run` as the agent of one node: the program in a network namespace, with the tools of one flavour, and its endpoint.

import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { NamespaceProcess } from "../support/netns.ts";
import type { Running } from "../support/program.ts";
import { running } from "../support/program.ts";
import { patience } from "../support/patience.ts";
import { toolsFolder } from "./tools.ts";
import { mainFile } from "../support/main-file.ts";

/** Of an endpoint at 127.0.0.1 in the namespace; "": it does not answer. */
export function getInside(
  { enter: [enter = "", ...words] }: Pick<NamespaceProcess, "enter">,
  port: number,
  path: string,
): string {
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
  const options = { encoding: "utf8", timeout: patience(10_000) } as const;
  return spawnSync(enter, [...words, "bash", "-c", script], options).stdout;
}

export class AgentNode {
  readonly #namespace: NamespaceProcess;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();

  /** `first`: a folder of tools that are used instead. */
  constructor(namespace: NamespaceProcess, first = toolsFolder) {
    this.#namespace = namespace;
    const path = [first, toolsFolder, process.env["PATH"] ?? ""].join(":");
    this.#env = { ...process.env, NODE_OPTIONS: "", PATH: path };
    this.inside("ip", "link", "set", "lo", "up");
  }

  /** Ends what a test that failed has left. */
  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** Runs a program of the node to its end; what it prints. */
  inside(...words: readonly string[]): string {
    const { status, stdout, stderr } = this.#run(words);
    if (status !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** What a command prints that finds something wrong. Throws when it ends with another code than 1. */
  failing(...args: readonly string[]): string {
    const { status, stdout, stderr } = this.#run([process.execPath, mainFile, ...args]);
    if (status !== 1) throw new Error(`${args.join(" ")} ended with ${String(status)}: ${stderr}`);
    return stdout;
  }

  #run(words: readonly string[]) {
    const [enter = "", ...others] = [...this.#namespace.enter, ...words];
    const options = { encoding: "utf8", env: this.#env, timeout: patience(60_000) } as const;
    return spawnSync(enter, others, options);
  }

  northgate(...args: readonly string[]): string {
    return this.inside(process.execPath, mainFile, ...args);
  }

  start(...args: readonly string[]): Running {
    const [enter = "", ...others] = [...this.#namespace.enter, process.execPath, mainFile, "run", ...args];
    const child = spawn(enter, others, { stdio: ["ignore", "ignore", "pipe"], env: this.#env });
    this.#children.add(child);
    return running(child);
  }

  /** Of the program's endpoint on the port; "": it does not answer. */
  get(port: number, path: string): string {
    return getInside(this.#namespace, port, path);
  }
}
