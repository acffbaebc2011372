// Faults of DNS, and of what zones answer, while policies allow names of domains. One server answers all of them: between faults it
// answers as it should.

import { adminPolicy } from "../../test/kube/objects.ts";
import { ScriptedDns } from "./dns.ts";
import type { AlertFault } from "./kind.ts";
import { apply, remove, steady } from "./policies.ts";
import type { AlertStage } from "./stage.ts";

const dns = new ScriptedDns();
const usual = (): readonly string[] => ["198.51.100.1"];

/** A policy that allows the name, which is answered so; mended, it is answered as usual. */
async function answered(stage: AlertStage, answers: ScriptedDns["answers"]): Promise<void> {
  dns.answers = answers;
  await dns.listen();
  const egress = [{ action: "Allow", to: [{ domainNames: ["www.example.org"] }] }];
  await apply(stage, adminPolicy("named", { priority: 30, subject: steady, egress }));
}

async function away(stage: AlertStage) {
  await answered(stage, usual);
  dns.close();
  return async () => {
    await dns.listen();
  };
}

async function unresolved(stage: AlertStage) {
  await remove(stage, "named").catch(() => undefined);
  await answered(stage, () => null);
  return () => {
    dns.answers = usual;
    return Promise.resolve();
  };
}

async function rebinding(stage: AlertStage) {
  await answered(stage, () => ["127.0.0.1"]);
  return () => {
    dns.answers = usual;
    return Promise.resolve();
  };
}

/** Each address counts for 6 s. */
async function rotating(stage: AlertStage) {
  let at = 0;
  await answered(stage, () => Array.from({ length: 60 }, () => `198.18.${(at >> 8) & 255}.${at++ & 255}`));
  return () => {
    dns.answers = usual;
    return Promise.resolve();
  };
}

const on = { ground: "names", firesMs: 60_000, clearsMs: 120_000 } as const;

export const nameAlerts: readonly AlertFault[] = [
  {
    ...on,
    alert: "NorthgateNameSourceAway",
    fault: "the DNS server ends, while a policy allows a name",
    mended: "it listens again",
    make: away,
  },
  {
    ...on,
    alert: "NorthgateNamesUnresolved",
    fault: "DNS has no such name as a policy allows",
    mended: "it has the name",
    make: unresolved,
  },
  {
    ...on,
    alert: "NorthgateNamesRefused",
    fault: "DNS answers a policy's name with 127.0.0.1",
    mended: "it answers with another address",
    make: rebinding,
  },
  {
    ...on,
    alert: "NorthgateNamesLimited",
    fault: "DNS answers a policy's name with 60 other addresses each second",
    mended: "it answers with the same address again",
    make: rotating,
  },
];
