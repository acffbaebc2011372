// A DNS server that stops to send what it answers (dnstap), while a policy allows a wildcard. It answers no question: nobody asks it one.

import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { ready, start } from "../../test/support/dns/tap-sender.ts";
import { adminPolicy } from "../../test/kube/objects.ts";
import { dnsAddress, tapsPort } from "./dns.ts";
import type { AlertFault } from "./kind.ts";
import { steady } from "./policies.ts";
import type { AlertStage } from "./stage.ts";

/** Resolves when the instance has taken it. It is open for as long as the process has other work. */
async function connected(): Promise<Socket> {
  const [host] = dnsAddress;
  const socket = connect({ host, port: tapsPort, localAddress: host });
  socket.unref();
  await once(socket, "connect");
  socket.write(ready);
  await once(socket, "data");
  socket.write(start);
  return socket;
}

async function silent({ arena: { dir, leader } }: AlertStage) {
  const egress = [{ action: "Allow", to: [{ domainNames: ["*.example.org"] }] }];
  const draft = join(dir, "wild.draft");
  writeFileSync(draft, JSON.stringify(adminPolicy("wild", { priority: 30, subject: steady, egress })));
  renameSync(draft, join(leader.folder, "wild.json"));
  const socket = await connected();
  socket.destroy();
  return async () => {
    await connected();
  };
}

export const tapAlert: AlertFault = {
  ...{ ground: "taps", alert: "NorthgateNameSourceAway", firesMs: 120_000, clearsMs: 60_000 },
  fault: "the DNS server ends its connection of dnstap, while a policy allows a wildcard",
  mended: "it connects again",
  make: silent,
};
