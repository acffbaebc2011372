// CoreDNS as a process of its own, with the Corefile of a folder.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";
import { steadyPort } from "../../test/kube/background.ts";
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

/** Of UDP and TCP on the loopback address, as CoreDNS needs it. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await steadyPort();
    if (await isFreeOfUdp(port)) return port;
  }
  throw new Error("no port of 127.0.0.1 is free for both UDP and TCP");
}

async function isFreeOfUdp(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  try {
    socket.bind(port, "127.0.0.1");
    await once(socket, "listening");
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}
