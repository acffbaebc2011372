// ovn-trace as a daemon. It reads the Southbound database once, before it answers. From OVN 26.03 on it logs at most one complaint a second
// (its commit 9ef23d8c4), so it connects to a door that stays shut until its limits are off.

import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { end, start } from "./daemon.ts";
import type { Ovn } from "./ovn.ts";
import { ControlSocket } from "./unixctl.ts";

const pollMs = 5;

export class TraceDaemon {
  readonly control: ControlSocket;
  readonly #ovn: Ovn;
  readonly #name: string;
  readonly #door: Door;

  private constructor(ovn: Ovn, name: string, door: Door, control: ControlSocket) {
    this.#ovn = ovn;
    this.#name = name;
    this.#door = door;
    this.control = control;
  }

  /** The database is read when this resolves. The name is that of its files in the folder of the OVN. */
  static async start(ovn: Ovn, name: string, args: readonly string[]): Promise<TraceDaemon> {
    const path = join(ovn.dir, `${name}.db`);
    const door = await Door.listen(path, ovn.sb.replace(/^unix:/, ""));
    const program = ovn.install.programs["ovn-trace"];
    const spec = { name, program, args: [...args, `--db=unix:${path}`] };
    const started = start(ovn.dir, spec, { ...process.env, ...ovn.env });
    try {
      const control = await controlOf(ovn, name, started);
      await control.call("vlog/disable-rate-limit");
      door.open();
      await started;
      return new TraceDaemon(ovn, name, door, control);
    } catch (error) {
      door.close();
      await end(ovn.dir, name);
      throw error;
    }
  }

  /** Its log, which is read for complaints, goes with it. */
  async end(): Promise<void> {
    this.control.close();
    await end(this.#ovn.dir, this.#name);
    this.#door.close();
    for (const suffix of ["ctl", "log"])
      rmSync(join(this.#ovn.dir, `${this.#name}.${suffix}`), { force: true });
  }
}

/** The daemon listens here before it has a database; `started` ends without one when the program cannot run. */
async function controlOf(ovn: Ovn, name: string, started: Promise<unknown>): Promise<ControlSocket> {
  const always = () => true;
  const ended = started.then(always, always);
  for (;;) {
    try {
      return await ControlSocket.open(join(ovn.dir, `${name}.ctl`));
    } catch (error) {
      const hasEnded = await Promise.race([ended, sleep(pollMs, false)]);
      if (!hasEnded) continue;
      await started;
      throw error;
    }
  }
}

/** A unix socket whose clients wait until it is opened, and then talk to another one. No process waits for it. */
class Door {
  readonly #target: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: Socket[] | null = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((client) => {
      this.#keep(client);
      if (this.#waiting === null) this.#join(client);
      else this.#waiting.push(client);
    }).unref();
  }

  static async listen(path: string, target: string): Promise<Door> {
    const door = new Door(target);
    await new Promise<void>((resolve, reject) => {
      door.#server.once("error", reject);
      door.#server.listen(path, resolve);
    });
    return door;
  }

  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const client of waiting) this.#join(client);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    const target = connect(this.#target);
    this.#keep(target);
    client.pipe(target).pipe(client);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    socket.on("error", () => undefined); // its end is closed next
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
