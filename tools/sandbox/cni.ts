// A stand-in for the CNI: makes a private NB's switches, ports and router equal to topology.ts, and keeps them so while
// a source of objects changes. Touches only rows that carry its mark. A second `applyCni` on unchanged facts writes
// nothing; a port keeps its row while its pod keeps its node, so references to it hold.

import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import type { ObjectKey, Source, SourceListener, SourceProblem } from "../../src/model/object.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { readTopology } from "./cni-state.ts";
import type { Ovn } from "./ovn.ts";
import {
  type Facts,
  type Route,
  type RouterPort,
  type SwitchPort,
  type Topology,
  router,
  topologyOf,
} from "./topology.ts";

const mark = "northgate-sandbox";

/** The ovn-nbctl form of a change of one row: the arguments of one or more commands. */
type Command = readonly string[];

interface SwitchPortDifference {
  /** These run first: a name must be free before it is used again. */
  readonly removals: readonly Command[];
  readonly additions: readonly Command[];
}

/** Returns the number of ovn-nbctl commands it ran; 0 when nothing differed. */
export async function applyCni(ovn: Ovn, facts: Facts): Promise<number> {
  const { removals, additions } = difference(await readTopology(ovn, mark), topologyOf(facts));
  await perform(ovn, removals);
  await perform(ovn, additions);
  return removals.length + additions.length;
}

/** Keeps the ports in step with a source: at most one application runs, and none starts before the source is synced. */
export class CniStandIn implements SourceListener {
  readonly #ovn: Ovn;
  readonly #source: Source;
  readonly #tell: (sentence: string) => void;
  readonly #pods = new Map<ObjectKey, PodFact>();
  readonly #nodes = new Map<ObjectKey, NodeFact>();
  readonly #dirty = new Set<ObjectKey>();
  #synced = false;
  #running: Promise<void> | null = null;

  constructor(ovn: Ovn, source: Source, tell: (sentence: string) => void) {
    this.#ovn = ovn;
    this.#source = source;
    this.#tell = tell;
  }

  changed(key: ObjectKey): void {
    this.#dirty.add(key);
    this.#wake();
  }

  synced(): void {
    this.#synced = true;
    this.#wake();
  }

  /** Objects that it does not use are reported by the program that does. */
  problem({ place, object, problem }: SourceProblem): void {
    if (object === null || !/^(Pod|Node) /.test(object)) return;
    this.#tell(`${place}: ${object}: ${problem.field}: ${problem.message}`);
  }

  /** Resolves when NB holds everything that the source has reported so far. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  #wake(): void {
    if (!this.#synced || this.#running !== null) return;
    this.#running = this.#work().finally(() => {
      this.#running = null;
      if (this.#dirty.size > 0) this.#wake();
    });
  }

  async #work(): Promise<void> {
    await Promise.resolve(); // what one edit changes comes in one turn
    for (const key of this.#dirty) this.#read(key);
    this.#dirty.clear();
    try {
      await applyCni(this.#ovn, { pods: this.#pods.values(), nodes: this.#nodes.values() });
    } catch (error) {
      this.#tell(
        `the ports could not be brought in step: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #read(key: ObjectKey): void {
    this.#pods.delete(key);
    this.#nodes.delete(key);
    const object = this.#source.read(key);
    if (object !== null && isPod(object)) this.#pods.set(key, object);
    if (object !== null && isNode(object)) this.#nodes.set(key, object);
  }
}

const marked = (table: string, name: string): Command => [
  "--",
  "set",
  table,
  name,
  `external_ids:${mark}=true`,
];

function difference(actual: Topology, desired: Topology): SwitchPortDifference {
  return {
    removals: removals(actual, desired),
    additions: [
      ...(actual.routers.has(router) ? [] : [["lr-add", router, ...marked("logical_router", router)]]),
      ...[...desired.switches.difference(actual.switches)].map((name) => [
        ...["ls-add", name],
        ...marked("logical_switch", name),
      ]),
      ...[...desired.routerPorts].flatMap(([name, port]) =>
        bringRouterPort(name, port, actual.routerPorts.get(name)),
      ),
      ...[...desired.ports].flatMap(([name, port]) => bringPort(name, port, actual.ports.get(name))),
      ...[...desired.routes]
        .filter(([prefix, route]) => !sameRoute(route, actual.routes.get(prefix)))
        .map(([prefix, route]) => ["lr-route-add", router, prefix, route.nexthop, route.routerPort]),
    ],
  };
}

function removals(actual: Topology, desired: Topology): readonly Command[] {
  const routes = [...actual.routes].filter(([name, route]) => !sameRoute(route, desired.routes.get(name)));
  const ports = [...actual.ports].filter(([name, port]) => !samePlace(port, desired.ports.get(name)));
  const routerPorts = [...actual.routerPorts.keys()].filter((name) => !desired.routerPorts.has(name));
  return [
    ...routes.map(([name]) => ["--if-exists", "lr-route-del", router, name]),
    ...ports.map(([name]) => ["--if-exists", "lsp-del", name]),
    ...routerPorts.map((name) => ["--if-exists", "lrp-del", name]),
    ...[...actual.switches.difference(desired.switches)].map((name) => ["--if-exists", "ls-del", name]),
  ];
}

function bringRouterPort(name: string, port: RouterPort, held: RouterPort | undefined): readonly Command[] {
  if (held === undefined) {
    return [["lrp-add", router, name, port.mac, ...port.networks, ...marked("logical_router_port", name)]];
  }
  if (sameRouterPort(port, held)) return [];
  return [["set", "logical_router_port", name, `mac="${port.mac}"`, `networks=${quoted(port.networks)}`]];
}

function bringPort(name: string, port: SwitchPort, held: SwitchPort | undefined): readonly Command[] {
  if (!samePlace(port, held)) return [[...addPort(name, port), ...marked("logical_switch_port", name)]];
  return port.addresses === held?.addresses ? [] : [setAddresses(name, port)];
}

function addPort(name: string, port: SwitchPort): Command {
  const add = ["lsp-add", port.switch, name, "--", ...setAddresses(name, port)];
  if (port.routerPort === "") return add;
  const joined = ["--", "lsp-set-options", name, `router-port=${port.routerPort}`];
  return [...add, "--", "lsp-set-type", name, "router", ...joined];
}

/** lsp-set-addresses would refuse an address that another port has; in a cluster two pods may have one for a while. */
function setAddresses(name: string, port: SwitchPort): Command {
  return ["set", "logical_switch_port", name, `addresses=${quoted([port.addresses])}`];
}

/** Whether the port's row can stay: only its addresses may differ. */
function samePlace(one: SwitchPort, other: SwitchPort | undefined): boolean {
  return one.switch === other?.switch && one.routerPort === other.routerPort;
}

function sameRoute(one: Route, other: Route | undefined): boolean {
  return one.nexthop === other?.nexthop && one.routerPort === other.routerPort;
}

function sameRouterPort(one: RouterPort, other: RouterPort | undefined): boolean {
  return one.mac === other?.mac && one.networks.join() === other.networks.join();
}

/** A set in the syntax of ovn-nbctl. */
function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join();
}

/** Most bytes of arguments for one call; the system's limit is 2 MB with the environment. */
const batchBytes = 200_000;

/** Each batch is one transaction. */
async function perform(ovn: Ovn, commands: readonly Command[]): Promise<void> {
  let batch: string[] = [];
  let bytes = 0;
  for (const command of commands) {
    batch.push("--", ...command);
    bytes += command.reduce((sum, word) => sum + word.length + 1, 0);
    if (bytes < batchBytes) continue;
    await ovn.nbctl(...batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await ovn.nbctl(...batch);
}
