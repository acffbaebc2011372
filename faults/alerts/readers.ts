// Faults of the reader of a node, of the switch that it reads, and of the way of samples.

import type { AlertFault } from "./kind.ts";
import type { AlertStage } from "./stage.ts";

async function away({ node }: AlertStage) {
  await node.kill();
  return () => {
    node.start();
    return Promise.resolve();
  };
}

function unread({ node }: AlertStage) {
  node.signalSwitch("SIGSTOP");
  return Promise.resolve(() => {
    node.signalSwitch("SIGCONT");
    return Promise.resolve();
  });
}

const on = { ground: "node", firesMs: 120_000, clearsMs: 120_000 } as const;

export const readerAlerts: readonly AlertFault[] = [
  {
    ...on,
    alert: "NorthgateNodeReaderAway",
    fault: "the reader is killed",
    mended: "it is started",
    make: away,
  },
  {
    ...{ ...on, firesMs: 300_000, alert: "NorthgateNodeReadingOld" },
    fault: "ovs-vswitchd is stopped",
    mended: "it goes on",
    make: unread,
  },
  {
    ...on,
    alert: "NorthgateSamplesLost",
    fault: "while a program watches, another sends 20,000 datagrams to the port for samples, every 0.4 s",
    mended: "it ends",
    make: ({ node }) => node.flood(),
  },
];
