// `make bench W=filter`: the backend of a packet filter on the real tools, beside the same texts loaded by hand into a second network
// namespace, which is the floor. Both take turns in one run.

import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";
import type { IpAddress, IpFamily } from "../src/model/ip.ts";
import { NetfilterBackend } from "../src/netfilter/live/backend.ts";
import type { FilterTools } from "../src/netfilter/live/filter-tools.ts";
import { iptablesLanguage } from "../src/netfilter/live/iptables-language.ts";
import { NodeFilter } from "../src/netfilter/live/node-filter.ts";
import { filterFormOf } from "../src/netfilter/options.ts";
import { readNodeProtocols } from "../src/netfilter/run/protocols.ts";
import { ProcessTools } from "../src/netfilter/run/tools.ts";
import type { Policy } from "../src/policy/ir.ts";
import { tiers } from "../src/policy/ir.ts";
import { contractPolicy, rulesOf } from "../test/backend/policies.ts";
import { flavours, netfilterMissing, placeOf } from "../test/netfilter/tools.ts";
import type { Flavour } from "../test/netfilter/tools.ts";
import { namespace, node, pod, podGroup, withLabels } from "../test/support/facts.ts";
import { FedGroups } from "../test/support/fed-groups.ts";
import { groupsOf } from "../test/support/groups-of.ts";
import { NamespaceProcess } from "../test/support/netns.ts";

const help = `make bench W=filter

Measures, for each flavour of iptables, how long \`run --backend iptables\` needs to write a node's packet filter: at a cold start, for a
pod that comes, for one that is in 120 sets, and for an edit of 20 rules. Beside each is the time of the same texts, loaded by hand.
Milliseconds: the middle one, and the worst. Needs root and netfilter in the kernel.
`;

const own = "n";
const counts = { namespaces: 250, policies: 1000, pods: 5000, wide: 120, events: 40, edits: 20 } as const;

/** Runs the tools, and keeps what they were told to write. */
class RecordedTools implements FilterTools {
  readonly #tools: ProcessTools;
  readonly writes: ((tools: FilterTools) => Promise<void>)[] = [];

  constructor(tools: ProcessTools) {
    this.#tools = tools;
  }

  stop(): void {
    this.#tools.stop();
  }

  read = () => this.#tools.read();
  setSizes = () => this.#tools.setSizes();

  changeSets(script: string): Promise<void> {
    return this.#write((tools) => tools.changeSets(script));
  }

  changeRules(family: IpFamily, text: string): Promise<void> {
    return this.#write((tools) => tools.changeRules(family, text));
  }

  #write(write: (tools: FilterTools) => Promise<void>): Promise<void> {
    this.writes.push(write);
    return write(this.#tools);
  }
}

const named = (name: string) => withLabels({ "kubernetes.io/metadata.name": name });
const labelled = (app: string) => withLabels({ app });

/** Four rules, and isolation. Each namespace has four of them. */
function small(at: number, port = 80): Policy {
  const name = `ns${at % counts.namespaces}`;
  const peer = (rule: number) => podGroup(named(name), labelled(`a${(at + rule) % 500}`));
  return contractPolicy({
    ...{ name: `p${at}`, namespace: name, tier: tiers.namespaced },
    subject: [podGroup(named(name), labelled(`a${at % 500}`))],
    unmatched: { ingress: "deny", egress: "next" },
    rules: {
      ingress: rulesOf(
        ...[0, 1, 2, 3].map((rule) => ({
          action: "allow" as const,
          peers: [peer(rule)],
          ports: [{ kind: "port" as const, protocol: "tcp" as const, port: port + rule }],
        })),
      ),
    },
  });
}

/** Twenty rules. */
function large(port: number): Policy {
  const ports = (rule: number) => [{ kind: "port", protocol: "tcp", port: port + rule } as const];
  const rules = Array.from({ length: 20 }, (_, rule) => ({ peers: [labelledPods("z")], ports: ports(rule) }));
  return contractPolicy({
    name: "large",
    subject: [labelledPods("a1")],
    rules: { ingress: rulesOf(...rules) },
  });
}

/** A pod with the label is in the set of each. */
function wide(at: number): Policy {
  return contractPolicy({
    ...{ name: `wide${at}`, priority: at, subject: [labelledPods("a2")] },
    rules: {
      ingress: rulesOf({ peers: [podGroup(withLabels({}), withLabels({ wide: "yes", [`w${at}`]: "yes" }))] }),
    },
  });
}

const labelledPods = (app: string) => podGroup(withLabels({}), labelled(app));

interface Times {
  readonly what: string;
  readonly own: number[];
  readonly floor: number[];
}

class Bench {
  readonly #groups = new FedGroups();
  readonly #recorded: RecordedTools;
  readonly #floor: ProcessTools;
  readonly #backend: NetfilterBackend;
  readonly #known = new Map<string, Policy>();

  constructor(flavour: Flavour, node1: NamespaceProcess, node2: NamespaceProcess) {
    this.#recorded = new RecordedTools(new ProcessTools({ place: placeOf(node1), flavour }));
    this.#floor = new ProcessTools({ place: placeOf(node2), flavour });
    this.#backend = new NetfilterBackend({
      filter: new NodeFilter(this.#recorded, readNodeProtocols()),
      ...{
        membership: this.#groups,
        zone: own,
        language: iptablesLanguage(filterFormOf({})),
        kinds: [],
        logger: silentLogger,
      },
      ...{ mayExist: () => false, clock: systemClock },
    });
    this.#backend.serve(["v4", "v6"]);
  }

  async run(): Promise<readonly Times[]> {
    await this.#backend.sight.lookAgain();
    this.#see();
    for (let at = 0; at < counts.policies; at++) this.#apply(small(at));
    for (let at = 0; at < counts.wide; at++) this.#apply(wide(at));
    this.#apply(large(1000));
    const wideLabels = Object.fromEntries(Array.from({ length: counts.wide }, (_, at) => [`w${at}`, "yes"]));
    const come = (labels: Readonly<Record<string, string>>) => (at: number) => {
      const ips = [`10.200.0.${at + 1}`, `fd00:c8::${(at + 1).toString(16)}`] as IpAddress[];
      this.#groups.setPod(pod("ns1", "fresh", { node: own, labels, ips }));
    };
    return [
      await this.#measure("cold start", 1, () => undefined),
      await this.#measure("a pod of one policy", counts.events, come({ app: "a1" })),
      await this.#measure(
        "a pod in 120 sets",
        counts.events,
        come({ app: "a1", wide: "yes", ...wideLabels }),
      ),
      await this.#measure("an edit of 20 rules", counts.edits, (at) => {
        this.#apply(large(2000 + at));
      }),
    ];
  }

  stop(): void {
    this.#recorded.stop();
    this.#floor.stop();
  }

  #see(): void {
    this.#groups.setNode(node(own, {}, ["172.18.0.2"]));
    for (let at = 0; at < counts.namespaces; at++)
      this.#groups.setNamespace(namespace(`ns${at}`, { "kubernetes.io/metadata.name": `ns${at}` }));
    for (let at = 0; at < counts.pods; at++) {
      const ips = [`10.${Math.floor(at / 250)}.0.${(at % 250) + 1}`] as IpAddress[];
      const place = at % 50 === 0 ? own : "m";
      this.#groups.setPod(
        pod(`ns${at % counts.namespaces}`, `q${at}`, { node: place, labels: { app: `a${at % 500}` }, ips }),
      );
    }
  }

  #apply(policy: Policy): void {
    for (const group of groupsOf(policy)) this.#groups.retain(group);
    this.#backend.upsert(policy);
    for (const group of this.#known.has(policy.key) ? groupsOf(policy) : []) this.#groups.release(group);
    this.#known.set(policy.key, policy);
  }

  async #measure(what: string, times: number, change: (at: number) => void): Promise<Times> {
    const result: Times = { what, own: [], floor: [] };
    for (let at = 0; at < times; at++) {
      change(at);
      this.#recorded.writes.length = 0;
      const begun = performance.now();
      this.#backend.touch(this.#groups.drain());
      const { interrupted, refused } = await this.#backend.commit();
      result.own.push(performance.now() - begun);
      if (interrupted !== null || refused.size > 0) throw new Error(`${what}: ${interrupted ?? "refused"}`);
      if (this.#recorded.writes.length === 0) throw new Error(`${what}: nothing was written`);
      result.floor.push(await this.#replayed());
    }
    return result;
  }

  /** The texts of both families at a time, as the backend runs them. */
  async #replayed(): Promise<number> {
    const begun = performance.now();
    const [first, ...others] = this.#recorded.writes;
    // Sets come before rules.
    await first?.(this.#floor);
    await Promise.all(others.map((write) => write(this.#floor)));
    return performance.now() - begun;
  }
}

function line({ what, own: mine, floor }: Times): string {
  const middle = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
  const shown = (times: readonly number[]) =>
    `${middle(times).toFixed(1)} (${Math.max(...times).toFixed(1)})`;
  return `   ${what}: ${shown(mine)} ms, by hand ${shown(floor)} ms, ratio ${(middle(mine) / middle(floor)).toFixed(2)}\n`;
}

async function measure(flavour: Flavour): Promise<void> {
  const namespaces = [await NamespaceProcess.hold(), await NamespaceProcess.hold()] as const;
  try {
    const policies = counts.policies + counts.wide + 1;
    process.stdout.write(`iptables-${flavour}: ${policies} policies, ${counts.pods} pods\n`);
    const bench = new Bench(flavour, ...namespaces);
    try {
      for (const times of await bench.run()) process.stdout.write(line(times));
    } finally {
      bench.stop();
    }
  } finally {
    await Promise.all(namespaces.map((one) => one.end()));
  }
}

const missing = flavours.map(netfilterMissing).find((why) => why !== null) ?? null;
if (process.argv.includes("--help")) process.stdout.write(help);
else if (missing !== null) {
  process.stderr.write(`no packet filter to be had: ${missing}\n`);
  process.exitCode = 3;
} else {
  for (const flavour of flavours) await measure(flavour);
  process.stdout.write(`resident memory: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB\n`);
}
