// A cluster with packets on one chassis, and what `northgate observe-node` counts of them: the real controller, northd,
// ovn-controller and ovs-vswitchd on the dummy datapath.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PodFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Sampling } from "../../src/nbdb/rows/render-mode.ts";
import { end, start } from "../../tools/sandbox/daemon.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { sourcePort } from "../../tools/sandbox/trace.ts";
import { antreaDialects } from "../proof/antrea-policies.ts";
import { Cluster } from "../proof/cluster.ts";
import { Dataplane, frameOfPacket } from "../proof/dataplane.ts";
import { Talk } from "../proof/talk.ts";
import { facts } from "../proof/teams.ts";
import { sorted } from "../proof/worlds.ts";
import { np } from "../support/policies.ts";

/** Of the pods of blue: those of red reach port 82, and nobody reaches another one. */
export const webOfRed = np(
  "web",
  {
    ...{ podSelector: {}, policyTypes: ["Ingress"] },
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { team: "red" } } }],
        ports: [{ protocol: "TCP", port: 82 }],
      },
    ],
  },
  "blue",
);

/** Of `connect`. */
export const lotsInSecond = 20;
/** Of the client, one for each connection. */
const firstPort = 20_000;

export interface Sent {
  readonly from: PodFact;
  readonly to: PodFact;
  readonly port: number;
  readonly count: number;
  readonly protocol?: "tcp" | "udp";
  readonly family?: "v4" | "v6";
}

export class Stage {
  readonly #cluster: Cluster;
  readonly #dataplane: Dataplane;
  #sourcePort = 40_000;

  private constructor(cluster: Cluster, dataplane: Dataplane) {
    this.#cluster = cluster;
    this.#dataplane = dataplane;
  }

  /** The pods of teams.ts, and every kind of policy. `sampling`: as `run --observe samples` has it; none unless given. */
  static async open(sampling?: Sampling): Promise<Stage> {
    const cluster = await Cluster.open({ installed: antreaDialects, ...(sampling && { sampling }) });
    const dataplane = await Dataplane.open(cluster.ovn);
    const stage = new Stage(cluster, dataplane);
    await stage.move(facts);
    return stage;
  }

  /** Its pods are those of this world from now on. */
  async move(world: readonly WorldObject[]): Promise<void> {
    await this.#cluster.connect(world);
    await this.#dataplane.connect(sorted(world));
  }

  async close(): Promise<void> {
    await this.#dataplane.close();
    await this.#cluster.close();
  }

  get ovn(): Ovn {
    return this.#cluster.ovn;
  }

  /** The socket of the bridge, without `unix:`. */
  get openflow(): string {
    return join(this.ovn.dir, "br-int.mgmt");
  }

  /** Of the chassis. */
  get ovs(): string {
    return `unix:${join(this.ovn.dir, "ovs.sock")}`;
  }

  /** In force when it resolves. */
  async become(policies: readonly WorldObject[], world: readonly WorldObject[] = facts): Promise<void> {
    await this.#cluster.become([...world, ...policies]);
    await this.settled();
  }

  /** The switch has its flows, and its counts are those of all packets so far. */
  async settled(): Promise<void> {
    await this.#dataplane.chassis.sync();
  }

  /** Each packet opens a connection of its own; how many have arrived. */
  async send({ count, protocol = "tcp", family = "v4", ...rest }: Sent): Promise<number> {
    const packets = Array.from({ length: count }, () => ({ ...rest, protocol, family }));
    const verdicts = await this.#dataplane.verdicts(packets);
    await this.settled();
    return verdicts.filter((verdict) => verdict === "allow").length;
  }

  /** Opens connections, `rate` in each second, a multiple of lotsInSecond; what becomes of them is not asked. */
  async connect(
    { from, to, port }: Pick<Sent, "from" | "to" | "port">,
    rate: number,
    seconds: number,
  ): Promise<void> {
    const packet = { ...{ from, to, port }, protocol: "tcp", family: "v4" } as const;
    await this.#dataplane.chassis.forgetConnections();
    const begunMs = performance.now();
    const inLot = rate / lotsInSecond;
    for (let lot = 0; lot < seconds * lotsInSecond; lot++) {
      await sleep(Math.max(0, begunMs + (lot * 1000) / lotsInSecond - performance.now()));
      const frames = Array.from({ length: inLot }, (_, at) =>
        frameOfPacket(packet, firstPort + lot * inLot + at),
      );
      await this.#dataplane.wire.send(frames.map((frame) => ({ port: sourcePort(packet), frame })));
    }
  }

  /** A connection of TCP to port 80. */
  talk(from: PodFact, to: PodFact): Talk {
    return new Talk(this.#dataplane.wire, from, to, this.#sourcePort++);
  }

  /** ovn-controller ends, and another one makes all flows again. */
  async restartController(): Promise<void> {
    const { dir, env, install } = this.ovn;
    await end(dir, "controller", "SIGKILL");
    const program = install.programs["ovn-controller"] ?? "";
    await start(dir, { name: "controller", program, args: [this.ovs] }, { ...process.env, ...env });
    await this.settled();
  }
  /** ovs-vswitchd ends, and another one begins without a flow. */
  async restartSwitch(world: readonly WorldObject[] = facts): Promise<void> {
    await this.#dataplane.wire.connect(new Set());
    await this.#dataplane.chassis.restartSwitch();
    await this.#dataplane.connect(sorted(world));
    await this.settled();
  }
}
