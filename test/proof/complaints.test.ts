// That a complaint would be heard: an ACL that cannot be parsed, put into an OVN of its own, is found in the logs that the
// proof reads, and nothing is found before.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startChassis, type Chassis } from "../../tools/sandbox/chassis.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { complaintsIn, LogListener } from "../../tools/sandbox/complaints.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { node, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";

const red = pod("red", "a", { node: "east", ips: ["10.244.1.5"] });
const blue = pod("blue", "a", { node: "east", ips: ["10.244.1.6"] });

await describeWithDataplane("a complaint is heard", (install) => {
  let ovn: Ovn;
  let chassis: Chassis;
  let listener: LogListener;

  beforeAll(async () => {
    ovn = await startOvn({ install });
    chassis = await startChassis(ovn, { datapath: "dummy" });
    listener = new LogListener("ovn-controller", chassis.logPath("ovn-controller"));
    await applyCni(ovn, { pods: [red, blue], nodes: [node("east")] });
    await chassis.plug([red, blue].map(portOf));
  });
  afterAll(async () => {
    await chassis.stop();
    await ovn.stop();
  });

  async function heard() {
    await chassis.sync();
    const tracer = await openTracer(ovn);
    try {
      const { verdict } = await tracer.verdict({ from: red, to: blue, protocol: "tcp" });
      return { verdict, controller: listener.news(), trace: await tracer.complaints() };
    } finally {
      await tracer.close();
    }
  }

  test("of each expression that cannot be parsed, by both that parse it", async () => {
    expect(await heard()).toEqual({ verdict: "allow", controller: [], trace: [] });
    for (const set of ["nobody", "nothing"]) {
      const match = `outport == "${portOf(blue)}" && ip4.src == $${set}`;
      await ovn.nbctl("--tier=1", "acl-add", "east", "to-lport", "1000", match, "drop");
    }
    const { verdict, controller, trace } = await heard();
    // The deny is not in force: that is why it must be heard.
    expect(verdict).toBe("allow");
    for (const lines of [controller, trace])
      expect(["nobody", "nothing"].map((set) => lines.some((line) => line.includes(`$${set}`)))).toEqual([
        true,
        true,
      ]);
    expect(listener.news()).toEqual([]);
  });
});

test("only whole known lines are harmless", () => {
  const line = (rest: string) => `2026-11-21T12:55:19.414Z|00002|${rest}`;
  const log = [
    line("timeval|WARN|Unreasonably long 1201ms poll interval (3ms user, 0ms system)"),
    line("ofproto_dpif_upcall(revalidator5)|WARN|Spent an unreasonably long 6305ms dumping flows"),
    line("lflow|INFO|timeval|WARN|Unreasonably long"),
    line('lflow|WARN|error parsing match "timeval": Syntax error'),
    line("ofproto_dpif(handler1)|ERR|faults: 3"),
    "not a line of a log",
  ].join("\n");
  expect(complaintsIn("d", log)).toEqual([
    'd: lflow|WARN|error parsing match "timeval": Syntax error',
    "d: ofproto_dpif|ERR|faults: 3",
  ]);
});
