// The API server's process: TLS on 127.0.0.1, the objects of a workload, lists in pages and watches.

import { newAuthority } from "../../test/kube/certificates.ts";
import { workloadOf } from "../workloads/catalogue.ts";
import type { Answer, Request } from "./protocol.ts";
import { ServedWorld } from "./served-world.ts";

let world: ServedWorld | null = null;

async function serve(name: string): Promise<Answer> {
  const workload = workloadOf(name);
  if (workload === null) throw new Error(`no workload ${name}`);
  const authority = newAuthority();
  const { certificate: cert, key } = authority.serving();
  world = new ServedWorld(workload, { cert, key });
  return { server: { url: String(await world.server.start()), authority: authority.certificate } };
}

async function answer(request: Request): Promise<Answer> {
  switch (request.say) {
    case "serve":
      return serve(request.workload);
    case "change":
      world?.apply(request.changes);
      return {};
    case "touch":
      await world?.touch(request.updates);
      return {};
  }
}

// The bench has ended.
process.on("disconnect", () => process.exit());
process.on("message", (request: Request) => {
  void answer(request).then((said) => process.send?.(said));
});
