// The API server's process: TLS on 127.0.0.1, the objects of a workload, lists in pages and watches.

import { type ApiObject, FakeApiServer } from "../../test/support/fake-api-server.ts";
import { newAuthority } from "../../test/kube/certificates.ts";
import { workloadOf } from "../workloads/catalogue.ts";
import { made, objectsOf, type Change, worldOf } from "../workloads/world.ts";
import { apiObjectOf, collectionOf, withoutEffect } from "./objects.ts";
import type { Answer, Request } from "./protocol.ts";

const pods = "/api/v1/pods";
/** Updates that are written before the event loop turns: a busy cluster's, and not all at once. */
const together = 100;
const betweenMs = 10;

const authority = newAuthority();
const { certificate: cert, key } = authority.serving();
const server = new FakeApiServer({ cert, key });
/** Of deleted pods: a watch tells the last state of an object. */
const held = new Map<string, { readonly collection: string; readonly object: ApiObject }>();

function apply(changes: readonly Change[]): void {
  for (const { key: id, object } of changes) {
    if (object !== null) {
      const served = { collection: collectionOf(object), object: apiObjectOf(object) };
      held.set(id, served);
      server.put(served.collection, served.object);
      continue;
    }
    const last = held.get(id);
    held.delete(id);
    if (last !== undefined) server.remove(last.collection, last.object);
  }
}

async function serve(name: string): Promise<Answer> {
  const workload = workloadOf(name);
  if (workload === null) throw new Error(`no workload ${name}`);
  apply(objectsOf(worldOf(workload)).map(made));
  return { server: { url: String(await server.start()), authority: authority.certificate } };
}

async function touch(updates: number): Promise<Answer> {
  const all = server.objects(pods);
  for (let update = 0; update < updates; update++) {
    const pod = all[update % all.length];
    if (pod !== undefined) server.put(pods, withoutEffect(pod, update + 1));
    if (update % together === together - 1) await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
  return {};
}

async function answer(request: Request): Promise<Answer> {
  switch (request.say) {
    case "serve":
      return serve(request.workload);
    case "change":
      apply(request.changes);
      return {};
    case "touch":
      return touch(request.updates);
  }
}

// The bench has ended.
process.on("disconnect", () => process.exit());
process.on("message", (request: Request) => {
  void answer(request).then((said) => process.send?.(said));
});
