// How many files and functions of src/ an event passes, from the queue to acknowledged rows on a real ovsdb-server:
// `node scripts/event-path.ts`. What depends on how objects arrive and on who is told is left out: sources, the API server, the
// socket, status, metrics and HTTP. Counted by V8's precise coverage: a function counts when it was called at least once.

import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { dialects } from "../src/dialects.ts";
import { loadManifests } from "../src/informers/index.ts";
import type { WorldObject } from "../src/model/object.ts";
import { parseIp } from "../src/model/ip.ts";
import { kindsToRead } from "../src/policy/contracts/dialect.ts";
import { openController } from "../test/support/controller.ts";
import { startOvn } from "../tools/sandbox/ovn.ts";

const example = fileURLToPath(new URL("../examples/cluster-control", import.meta.url));
const source = fileURLToPath(new URL("../src/", import.meta.url));
const leftOut = ["informers", "kube", "status", "metrics", "http", "ovsdb/wire", "ovsdb/session"];

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** What was called since the last answer. */
async function passed(): Promise<{ readonly files: number; readonly functions: number }> {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const called = result
    .map(({ url, functions }) => ({
      file: url.startsWith("file:") ? fileURLToPath(url) : url,
      // The first is the module itself.
      count: functions.filter(
        ({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0,
      ).length,
    }))
    .filter(({ file, count }) => count > 0 && file.startsWith(source))
    .filter(({ file }) => !leftOut.some((room) => file.startsWith(`${source}${room}/`)));
  return { files: called.length, functions: called.reduce((sum, { count }) => sum + count, 0) };
}

const { policies, references } = kindsToRead(dialects);
const { objects } = loadManifests([example], policies, references);
const ovn = await startOvn({ northd: false });
try {
  const { controller, end } = await openController(ovn.nb, [...objects], { families: null, zone: null });
  const { source: world, loop, settled } = controller;
  // The first look at the database ends with every policy settled.
  while (settled.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await loop.idle();
  const event = async (name: string, object: WorldObject): Promise<void> => {
    await passed();
    world.set(object);
    await loop.idle();
    const { files, functions } = await passed();
    process.stdout.write(`${name}: ${files} files, ${functions} functions\n`);
  };
  const pod = objects.find((object) => object.kind === "Pod" && "ips" in object && !object.hostNetwork);
  const policy = objects.find(({ kind }) => kind === "AdminNetworkPolicy");
  if (pod === undefined || !("ips" in pod) || policy === undefined || !("spec" in policy))
    throw new Error("the example has no pod or no policy");
  const ip = parseIp("10.244.0.250");
  await event("pod added", { ...pod, name: "added", ips: ip === null ? [] : [ip] });
  const text = JSON.stringify(policy.spec);
  const edited: unknown = JSON.parse(text.replace('"port":5353', '"port":5354'));
  await event("port edited", { ...policy, spec: edited });
  await event("edit without effect", { ...policy, spec: JSON.parse(JSON.stringify(edited)) as unknown });
  await end();
} finally {
  await ovn.stop();
}
