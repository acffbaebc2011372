// How long the page waits for its answers on a large cluster: `node bench/ui.ts`, or make bench W=ui. 10,000 pods and 1,000
// policies: 100 AdminNetworkPolicies of 20 rules and 900 NetworkPolicies of 3. Prints the median and the slowest of each
// question over HTTP, what the processor did for it, and, where there is a Chromium, how long a view takes there.

import { everyDialect } from "../src/dialects.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { keyOf } from "../src/model/object.ts";
import type { WorldObject } from "../src/model/object.ts";
import { offlineModel } from "../src/nbdb/tools/rendered.ts";
import { FollowedWorld } from "../src/ui/followed.ts";
import { serveUi } from "../src/ui/serving/server.ts";
import type { ShownWorld } from "../src/ui/world.ts";
import { Browser, chromiumOrSkip } from "../test/support/chromium.ts";
import { namespacesWith, anp, np } from "../test/support/policies.ts";
import { largePlan, planFacts } from "../test/support/plan-world.ts";
import { noThreads } from "../test/support/shown-world.ts";

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Always the same. */
function policies(): readonly WorldObject[] {
  const peer = (at: number) => [namespacesWith({ name: `n${at % 50}` })];
  const action = (at: number) => ["Allow", "Pass", "Deny"][at % 3] ?? "Deny";
  const port = (at: number) => [{ portNumber: { protocol: "TCP", port: 1000 + (at % 500) } }];
  const admin = Array.from({ length: 100 }, (_, policy) =>
    anp(`p${policy}`, {
      priority: policy % 100,
      subject: { namespaces: { matchLabels: { team: `t${policy % 10}` } } },
      ingress: Array.from({ length: 10 }, (_, at) => ({
        ...{
          name: `in-${at}`,
          action: action(at + policy),
          from: peer(at * 7 + policy),
          ports: port(at * 3 + policy),
        },
      })),
      egress: Array.from({ length: 10 }, (_, at) => ({
        ...{
          name: `out-${at}`,
          action: action(at + policy),
          to: peer(at * 5 + policy),
          ports: port(at * 11 + policy),
        },
      })),
    }),
  );
  const own = Array.from({ length: 900 }, (_, at) =>
    np(
      `np${at}`,
      {
        podSelector: { matchLabels: { app: `a${at % 4}` } },
        ingress: [0, 1, 2].map((rule) => ({
          from: [{ namespaceSelector: { matchLabels: { name: `n${(at + rule * 13) % 50}` } } }],
          ports: [{ protocol: "TCP", port: 80 + (at % 20) }],
        })),
      },
      `n${at % 50}`,
    ),
  );
  return [...admin, ...own];
}

const facts = planFacts(largePlan);
const mode = { zone: null, namedPorts: "list" } as const;
const { dialects } = everyDialect;
const world = new FollowedWorld({
  ...{ model: offlineModel({ objects: [], dialects, families: null, mode }), dialects, families: null },
  ...{ serviceNetworks: [], placeOf: () => null, isProving: true },
});
const made = performance.now();
for (const fact of [...facts.namespaces.values(), ...facts.nodes, ...facts.pods.values(), ...policies()])
  world.set(keyOf(fact), fact);
const count = [...world.model.records()].length;
say(
  `the model of ${facts.pods.size} pods and ${count} policies: ${((performance.now() - made) / 1000).toFixed(1)} s`,
);

const shown: ShownWorld = {
  get revision() {
    return String(world.revision);
  },
  ...{ isReady: true, from: "bench", facts: world.model.facts, policyCount: count, problems: [] },
  get asked() {
    return world.asked;
  },
  membership: world.model.membership,
  ...{ findings: null, plan: null, live: null, workloads: [], cni: "ovn" },
  ...{ record: (key) => world.model.record(key), lastChange: null, ...noThreads },
};
const server = await serveUi({
  ...{ host: "127.0.0.1", port: 0, basePath: "", hosts: [], tls: null, gate: null },
  ...{ world: shown, clock: systemClock, logger: silentLogger, rest: 0 },
});

async function measure(name: string, paths: readonly string[]): Promise<void> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  let bytes = 0;
  for (const path of paths) {
    const begun = performance.now();
    const response = await fetch(server.address + path);
    await response.text();
    bytes = Number(response.headers.get("content-length"));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const [median = 0, slowest = 0] = [times[times.length >> 1], times.at(-1)];
  const most = times[Math.ceil(times.length * 0.95) - 1] ?? 0;
  const each = (user + system) / 1000 / paths.length;
  say(
    `${name}: median ${median.toFixed(1)} ms, of 95 in 100 ${most.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, CPU ${each.toFixed(1)} ms, ` +
      `${(bytes / 1024).toFixed(0)} KiB (${paths.length} asked)`,
  );
}

const pods = [...facts.pods.keys()];
const podAt = (at: number): string => pods[(at * 4999) % pods.length] ?? "";
const times = (n: number, path: (at: number) => string) => Array.from({ length: n }, (_, at) => path(at));

await measure("the first pod of all", [`/api/pod?pod=${podAt(0)}`]);
await measure(
  "the state",
  times(20, () => "/api/state"),
);
await measure(
  "a search",
  times(20, (at) => `/api/pods?q=p${at}&limit=12`),
);
await measure(
  "a pod",
  times(20, (at) => `/api/pod?pod=${podAt(at)}`),
);
await measure(
  "a tester answer",
  times(50, (at) => `/api/explain?from=${podAt(at)}&to=${podAt(at * 3 + 1)}&protocol=tcp&port=${80 + at}`),
);
await measure(
  "a page of the order",
  times(10, (at) => `/api/policies?offset=${at * 50}&limit=50`),
);
await measure(
  "the board",
  times(10, () => "/api/board"),
);
await measure(
  "a policy",
  times(20, (at) => `/api/policy?policy=AdminNetworkPolicy.policy.networking.k8s.io/p${at}`),
);
await measure(
  "a namespace",
  times(20, (at) => `/api/namespace?namespace=${podAt(at).split("/")[0] ?? ""}`),
);
await measure(
  "a search of everything",
  times(20, (at) => `/api/search?q=p${at}%20app=a1`),
);

await measure(
  "the first page of the order again",
  times(20, () => "/api/policies?offset=0&limit=50"),
);
await measure(
  "two hundred of the order",
  times(5, (at) => `/api/policies?offset=${at * 200}&limit=200`),
);

/** Each asks for something else, so that no answer is there already. */
const isLooping = { now: true };
const loops = Array.from({ length: 20 }, async (_, loop) => {
  let asked = 0;
  while (isLooping.now) {
    await (await fetch(`${server.address}/api/policies?q=${loop}&offset=${asked % 500}`)).text();
    asked++;
  }
  return asked;
});
await measure(
  "a pod, beside twenty clients in a loop",
  times(30, (at) => `/api/pod?pod=${podAt(at * 17 + 3)}`),
);
isLooping.now = false;
const asked = (await Promise.all(loops)).reduce((sum, one) => sum + one, 0);
say(`which asked ${asked} times meanwhile`);

const program = chromiumOrSkip();
if (program !== null) {
  const browser = await Browser.start(program);
  const page = await browser.open();
  for (const [name, view] of [
    ["the first view in Chromium", `?view=pod&pod=${podAt(7)}`],
    ["a tester view in Chromium", `?view=tester&from=${podAt(8)}&to=${podAt(9)}&protocol=tcp&port=1005`],
    ["the order in Chromium", "?view=order"],
  ] as const) {
    const begun = performance.now();
    await page.go(`${server.address}/${view}`);
    say(`${name}: ${(performance.now() - begun).toFixed(0)} ms`);
  }
  await browser.close();
}
await server.close();
