// A node with packets: a switch with the rules of some policies, the reader of it at one address for all its processes, and who watches.

import { createSocket } from "node:dgram";
import { steadyPort } from "../../test/kube/background.ts";
import { follow, sampling, startReader, vsctl } from "../../test/observe/node-reader.ts";
import { Stage, webOfRed } from "../../test/observe/stage.ts";
import { everyPacket } from "../../test/proof/samples.ts";
import type { ScrapeJob } from "../../test/support/prometheus-server.ts";
import type { Running } from "../../test/support/program.ts";
import { pidOf } from "../../tools/sandbox/daemon.ts";
import { again } from "./kind.ts";

/** In one piece, of a program that sends as fast as it can. */
const burst = 20_000;
const burstEveryMs = 400;

export class ObservedNode {
  readonly #stage: Stage;
  readonly #address: string;
  #reader: Running;

  private constructor(stage: Stage, address: string) {
    this.#stage = stage;
    this.#address = address;
    this.#reader = this.#started();
  }

  static async open(): Promise<ObservedNode> {
    const stage = await Stage.open(everyPacket);
    await stage.become([webOfRed]);
    return new ObservedNode(stage, `127.0.0.1:${await steadyPort()}`);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#stage.close();
  }

  /** As manifests/monitoring/observe-node has Prometheus read it, but for TLS. */
  job(scrape: NonNullable<ScrapeJob["scrape"]>): Readonly<Record<string, ScrapeJob>> {
    const targets = { reader: this.#address };
    return {
      "northgate-system/northgate-observe-node": { targets, scrape: { ...scrape, honor_labels: true } },
    };
  }

  async kill(): Promise<void> {
    await this.#reader.end("SIGKILL");
  }

  start(): void {
    this.#reader = this.#started();
  }

  /** To the switch: SIGSTOP, SIGCONT. */
  signalSwitch(signal: NodeJS.Signals): void {
    const pid = pidOf(this.#stage.ovn.dir, "vswitchd");
    if (pid === null) throw new Error("the switch does not run");
    process.kill(pid, signal);
  }

  /** While somebody watches, a program floods the port for samples. Resolves with what ends both. */
  async flood(): Promise<() => Promise<void>> {
    const watcher = follow(this.#stage);
    await sampling(this.#stage);
    const [targets = ""] = await vsctl(this.#stage, "--bare", "--columns=targets", "list", "IPFIX");
    const port = Number(targets.split(":").at(-1));
    const socket = createSocket("udp4");
    const datagram = Buffer.from("no IPFIX");
    const stop = again(burstEveryMs, () => {
      for (let at = 0; at < burst; at++) socket.send(datagram, port, "127.0.0.1");
      return Promise.resolve();
    });
    return async () => {
      await stop();
      socket.close();
      await watcher.end();
    };
  }

  #started(): Running {
    return startReader(this.#stage, this.#address, "--interval=2");
  }
}
