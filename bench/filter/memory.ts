// memory.ts VARIANT WORKLOAD: one node's packet filter of a workload, from a source in memory. Prints the peak of the process's memory
// in MB, when everything is written.

import { Groups } from "../../src/groups/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import { countsOf } from "../../src/netfilter/live/actual.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import { setV8Flags } from "../../src/v8-flags.ts";
import { filterOf } from "../../test/netfilter/driven.ts";
import { variants } from "../../test/netfilter/tools.ts";
import { MemorySource } from "../../test/support/controller.ts";
import { NamespaceProcess } from "../../test/support/netns.ts";
import { installedFor, loopOf } from "../run/assembled.ts";
import { workloadOf } from "../workloads/catalogue.ts";
import { nodeName, objectsOf, worldOf } from "../workloads/world.ts";

setV8Flags();
const [name = "", workloadName = ""] = process.argv.slice(2);
const variant = variants.find((one) => one.name === name);
const workload = workloadOf(workloadName);
if (variant === undefined || workload === null) throw new Error(`no ${name} or no ${workloadName}`);

const source = new MemorySource(objectsOf(worldOf(workload)));
const facts = new FactStore();
const groups = new Groups(facts);
const { dialects } = installedFor(workload);
const namespace = await NamespaceProcess.hold();
const { tools, filter, language } = filterOf(namespace, variant, {}, () => undefined);
const backend = new NetfilterBackend({
  ...{ filter, language, membership: groups, zone: nodeName(0), kinds: [], logger: silentLogger },
  ...{ mayExist: (key) => source.mayExist(key), clock: systemClock },
});
await backend.sight.lookAgain();
if (!backend.ready) throw new Error(backend.sight.failure);
const loop = loopOf({ source, facts, groups, backend, dialects, pass: () => undefined });
loop.start();
while (!loop.reconciled || loop.queue.size > 0) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  await loop.idle();
}
const { rules, sets } = countsOf(filter.known);
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(`${name}: ${workloadName}, ${rules} rules, ${sets} sets: peak of ${megabytes} MB\n`);
tools.stop();
await loop.stop();
await namespace.end();
