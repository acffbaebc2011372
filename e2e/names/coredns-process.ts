// CoreDNS as a process of its own, with the Corefile of a folder.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import { pathOfNodeProgram } from "../cluster/programs.ts";

export function startCoreDns(folder: string): ChildProcess {
  return spawn(pathOfNodeProgram("coredns"), ["-conf", join(folder, "Corefile")], { stdio: "ignore" });
}

/** Does nothing to one that has ended. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Of UDP on the loopback address; CoreDNS listens on the same one of TCP. */
export async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}
