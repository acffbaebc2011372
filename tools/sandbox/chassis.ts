// A chassis for a private OVN: ovn-controller and ovs-vswitchd on a datapath of this process's own, so that packets can
// be sent and not only traced. Lives in the OVN's folder and ends with it; several of one OVN have tunnels to one another. Refuses
// an install without the programs. After `sync` every plugged port that NB has is up, and packets are treated as NB's rows say.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { end, start } from "./daemon.ts";
import type { OvnInstall } from "./find-ovn.ts";
import type { Ovn } from "./ovn.ts";
import { run } from "./program.ts";
import { Progress } from "./progress.ts";
import { ControlSocket } from "./unixctl.ts";
import { type Underlay, Vswitch } from "./vswitch.ts";

export interface ChassisOptions {
  /**
   * dummy: no kernel network, no rights needed, every port is a stream. netdev: every port is an interface of the kernel
   * that its own sockets use; needs rights to /dev/net/tun.
   */
  readonly datapath: "dummy" | "netdev";
  /** Its system-id; "chassis" by default. */
  readonly name?: string;
  /** A command before those of the daemons, such as ["ip", "netns", "exec", NS]. */
  readonly runIn?: readonly string[];
  /** It is one of several, on netdev, in a network namespace of its own, and the name is its own too. */
  readonly tunnels?: Tunnels;
}

export interface Tunnels extends Underlay {
  /** Where its tunnels end; the bridge of the underlay must get it. */
  readonly ip: string;
}

export type ChassisDaemon = "ovn-controller" | "ovs-vswitchd";

/** This install has no dataplane: the message names what is missing. */
export class ChassisMissingError extends Error {
  override readonly name = "ChassisMissingError";
}

interface Parts {
  readonly vswitchd: string;
  readonly controller: string;
  readonly schema: string;
}

/** The programs of an install that a chassis needs; throws ChassisMissingError. */
export function chassisParts({ programs, schemas }: OvnInstall): Parts {
  const need = (part: string | null | undefined, name: string): string => {
    if (typeof part === "string") return part;
    throw new ChassisMissingError(`this OVN has no ${name}: install ovn-host and openvswitch-switch`);
  };
  return {
    vswitchd: need(programs["ovs-vswitchd"], "ovs-vswitchd"),
    controller: need(programs["ovn-controller"], "ovn-controller"),
    schema: need(schemas.vswitch, "vswitch.ovsschema"),
  };
}

/** The names of pid files, control sockets and logs in the OVN's folder, which must be short. */
interface Files extends Readonly<Record<ChassisDaemon, string>> {
  /** Of the server of its database. */
  readonly server: string;
  /** For the sockets of bridges, which have the same names on every chassis. */
  readonly bridges: string;
}

function filesOf(ovn: Ovn, { name = "", tunnels }: ChassisOptions): Files {
  const [prefix, bridges] = tunnels === undefined ? ["", ovn.dir] : [`${name}-`, join(ovn.dir, name)];
  return {
    ...{ "ovn-controller": `${prefix}controller`, "ovs-vswitchd": `${prefix}vswitchd` },
    ...{ server: `${prefix}ovs`, bridges },
  };
}

interface Links {
  readonly vswitch: Vswitch;
  readonly progress: Progress;
  readonly switchd: ControlSocket;
  /** Starts ovs-vswitchd again. */
  readonly startSwitch: () => Promise<ControlSocket>;
  readonly startController: () => Promise<void>;
}

export class Chassis {
  readonly #ovn: Ovn;
  readonly #files: Files;
  readonly #datapath: ChassisOptions["datapath"];
  readonly #vswitch: Vswitch;
  readonly #progress: Progress;
  readonly #startSwitch: () => Promise<ControlSocket>;
  readonly #startController: () => Promise<void>;
  #switchd: ControlSocket;
  readonly #streams = new Map<string, string>();
  readonly #names = new Map<string, string>();
  #interfaces = 0;

  constructor(ovn: Ovn, options: ChassisOptions, links: Links) {
    const { vswitch, progress, switchd, startSwitch, startController } = links;
    this.#ovn = ovn;
    this.#files = filesOf(ovn, options);
    this.#datapath = options.datapath;
    this.#vswitch = vswitch;
    this.#progress = progress;
    this.#switchd = switchd;
    this.#startSwitch = startSwitch;
    this.#startController = startController;
  }

  get plugged(): ReadonlySet<string> {
    return this.#vswitch.plugged;
  }

  /**
   * Logical ports, in one transaction. On the dummy datapath each becomes a stream (`streamOf`); on netdev each becomes an
   * interface (`interfaceOf`).
   */
  async plug(ports: Iterable<string>): Promise<void> {
    const plugs = [...ports].map((port) => {
      const name = `p${this.#interfaces++}`;
      if (this.#datapath === "netdev") {
        this.#names.set(port, name);
        return { port, name, type: "internal", options: {} };
      }
      const path = join(this.#ovn.dir, name);
      this.#streams.set(port, path);
      return { port, name, type: "dummy", options: { pstream: `punix:${path}` } };
    });
    await this.#vswitch.plug(plugs);
  }

  async unplug(ports: Iterable<string>): Promise<void> {
    const gone = [...ports];
    await this.#vswitch.unplug(gone);
    for (const port of gone) {
      this.#streams.delete(port);
      this.#names.delete(port);
    }
  }

  /** The socket of a port's stream: each way, frames behind their length as two bytes, the higher one first. */
  streamOf(port: string): string {
    const path = this.#streams.get(port);
    if (path === undefined) throw new Error(`${port} has no stream: it is not plugged into a dummy datapath`);
    return path;
  }

  /**
   * The interface of a port, made in the network namespace of ovs-vswitchd: a TAP, so its sender computes the checksums that
   * connection tracking wants. It may be moved to another namespace, and is gone when the daemon is.
   */
  interfaceOf(port: string): string {
    const name = this.#names.get(port);
    if (name === undefined)
      throw new Error(`${port} has no interface: it is not plugged into a netdev datapath`);
    return name;
  }

  /** Resolves when packets are treated as NB's present rows say. */
  async sync(): Promise<void> {
    await this.#progress.done(this.plugged);
    // The flows are now in the switch; its cached decisions may still be older.
    await this.#switchd.call("revalidator/purge");
  }

  /** Sends a command to ovs-vswitchd, as ovs-appctl does. */
  appctl(command: string, ...args: readonly string[]): Promise<string> {
    return this.#switchd.call(command, ...args);
  }

  /** After this, every connection counts as new. */
  async forgetConnections(): Promise<void> {
    await this.#switchd.call("dpctl/flush-conntrack");
  }

  /** ovs-vswitchd ends without a word, and another one begins without any flow. On dummy nothing may be plugged: streams end with it. */
  async restartSwitch(): Promise<void> {
    this.#switchd.close();
    await end(this.#ovn.dir, this.#files["ovs-vswitchd"], "SIGKILL");
    this.#switchd = await this.#startSwitch();
  }

  /** ovn-controller ends without a word, and another one writes all flows again. */
  async restartController(): Promise<void> {
    await end(this.#ovn.dir, this.#files["ovn-controller"], "SIGKILL");
    await this.#startController();
  }

  logPath(daemon: ChassisDaemon): string {
    return this.#ovn.logPath(this.#files[daemon]);
  }

  /** Ends its daemons; the OVN's own `stop` does so too. */
  async stop(): Promise<void> {
    this.#switchd.close();
    await Promise.all([this.#vswitch.close(), this.#progress.close()]);
    await endDaemons(this.#ovn.dir, this.#files);
  }
}

/** Starts a chassis. When starting fails, nothing of it is left. */
export async function startChassis(ovn: Ovn, options: ChassisOptions): Promise<Chassis> {
  const parts = chassisParts(ovn.install);
  try {
    return await openChassis(ovn, options, parts);
  } catch (error) {
    await endDaemons(ovn.dir, filesOf(ovn, options));
    throw error;
  }
}

async function openChassis(ovn: Ovn, options: ChassisOptions, parts: Parts): Promise<Chassis> {
  const { programs } = ovn.install;
  const files = filesOf(ovn, options);
  mkdirSync(files.bridges, { recursive: true });
  const env = { ...process.env, ...ovn.env };
  const file = join(ovn.dir, `${files.server}.db`);
  const remote = `unix:${join(ovn.dir, `${files.server}.sock`)}`;
  await run(programs["ovsdb-tool"], ["create", file, parts.schema]);
  await start(
    ovn.dir,
    { name: files.server, program: programs["ovsdb-server"], args: [file, `--remote=p${remote}`] },
    env,
  );
  const vswitch = await Vswitch.open(remote);
  const progress = new Progress(ovn.nb, ovn.sb);
  try {
    await startSwitchOf(ovn, vswitch, remote, parts, options);
    const controller = { of: "ovn-controller", program: parts.controller, args: [remote] } as const;
    const startController = () => startDaemon(ovn, options, controller);
    await startController();
    await progress.opened();
    const opened = () => ControlSocket.open(join(ovn.dir, `${files["ovs-vswitchd"]}.ctl`));
    const startSwitch = async () => {
      await startSwitchd(ovn, remote, parts, options);
      return opened();
    };
    return new Chassis(ovn, options, {
      ...{ vswitch, progress, switchd: await opened(), startSwitch, startController },
    });
  } catch (error) {
    await Promise.all([vswitch.close(), progress.close()]);
    throw error;
  }
}

async function startSwitchOf(
  ovn: Ovn,
  vswitch: Vswitch,
  remote: string,
  parts: Parts,
  options: ChassisOptions,
): Promise<void> {
  const { datapath, name = "chassis", tunnels } = options;
  const externalIds = {
    "system-id": name,
    hostname: name,
    "ovn-remote": ovn.sb,
    "ovn-encap-type": "geneve",
    "ovn-encap-ip": tunnels?.ip ?? "127.0.0.1",
    // A switch that is busy with many flows is not connected to again: the flows of before would be removed meanwhile.
    "ovn-remote-probe-interval": "0",
    "ovn-openflow-probe-interval": "0",
    "ovn-bridge-datapath-type": datapath,
    "ovn-monitor-all": "true",
  };
  await vswitch.init(datapath, externalIds, tunnels);
  await startSwitchd(ovn, remote, parts, options);
}

async function startSwitchd(ovn: Ovn, remote: string, parts: Parts, options: ChassisOptions): Promise<void> {
  const off = options.datapath === "dummy" ? ["--enable-dummy=system", "--disable-system-route"] : [];
  const args = [remote, "--disable-system", ...off];
  await startDaemon(ovn, options, { of: "ovs-vswitchd", program: parts.vswitchd, args });
}

interface ChassisProgram {
  readonly of: ChassisDaemon;
  readonly program: string;
  readonly args: readonly string[];
}

async function startDaemon(
  ovn: Ovn,
  options: ChassisOptions,
  { of, program, args }: ChassisProgram,
): Promise<void> {
  const files = filesOf(ovn, options);
  const env = { ...process.env, ...ovn.env, OVS_RUNDIR: files.bridges };
  const [command, ...rest] = [...(options.runIn ?? []), program] as const;
  await start(ovn.dir, { name: files[of], program: command, args: [...rest, ...args] }, env);
  // A complaint that is not logged is never noticed.
  await ovn.appctl(files[of], "vlog/disable-rate-limit");
}

/** ovn-controller first: it takes its chassis out of SB as it goes. */
async function endDaemons(dir: string, files: Files): Promise<void> {
  for (const name of [files["ovn-controller"], files["ovs-vswitchd"], files.server]) await end(dir, name);
}
