// That the third judge cannot be fooled: what the switch loses for another reason than a flow is an error, and what comes out
// at the wrong place is one too.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { node, pod } from "../support/facts.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { Dataplane, frameOfPacket } from "./dataplane.ts";

const red = pod("red", "a", { node: "east", ips: ["10.244.1.5", "fd00::5"] });
const blue = pod("blue", "a", { node: "west", ips: ["10.244.2.6", "fd00:0:0:1::6"] });
const facts = { pods: [red, blue], nodes: [node("east"), node("west")] };

await describeWithDataplane("a dataplane as a judge", (install) => {
  let ovn: Ovn;
  let dataplane: Dataplane;

  beforeAll(async () => {
    ovn = await startOvn({ install });
    dataplane = await Dataplane.open(ovn);
    await applyCni(ovn, facts);
    await dataplane.connect(facts);
    const drop = ["--tier=1", "acl-add", "west", "to-lport", "1000", "tcp.dst == 81", "drop"];
    const allow = ["--tier=1", "acl-add", "west", "to-lport", "999", "ip", "allow-related"];
    await ovn.nbctl(...drop, "--", ...allow);
  });
  afterAll(async () => {
    await dataplane.close();
    await ovn.stop();
  });

  test.each(["v4", "v6"] as const)("more packets at once than an interface holds, %s", async (family) => {
    const packets = Array.from({ length: 400 }, (_, at) => ({
      ...{ from: red, to: blue, protocol: "tcp" as const, family },
      port: at % 3 === 0 ? 81 : 80,
    }));
    const verdicts = await dataplane.verdicts(packets);
    expect(verdicts).toEqual(packets.map(({ port }) => (port === 81 ? "drop" : "allow")));
  });

  test("ports come and go", async () => {
    await dataplane.connect({ ...facts, pods: [red] });
    expect(dataplane.chassis.plugged).not.toContain(portOf(blue));
    await dataplane.connect(facts);
    expect(await dataplane.verdicts([{ from: red, to: blue, protocol: "sctp" }])).toEqual(["allow"]);
  });

  test("an ovn-controller that counts its flows again is replaced, and the packets are judged again", async () => {
    const packets = [80, 81].map((port) => ({ from: red, to: blue, protocol: "tcp" as const, port }));
    const pid = () => readFileSync(join(ovn.dir, "controller.pid"), "utf8");
    const before = pid();
    expect(await dataplane.verdicts(packets)).toEqual(["allow", "drop"]);
    expect(pid()).toBe(before);
    const log = dataplane.chassis.logPath("ovn-controller");
    appendFileSync(log, "2026-11-29T17:43:00.000Z|00099|ofctrl|WARN|req_cfg regressed from 22 to 2\n");
    expect(await dataplane.verdicts(packets)).toEqual(["allow", "drop"]);
    const after = pid();
    expect(after).not.toBe(before);
    expect(await dataplane.verdicts(packets)).toEqual(["allow", "drop"]);
    expect(pid()).toBe(after);
    expect(dataplane.complaints()).toEqual([]);
  });

  test("a packet with a wrong checksum is no dropped packet", async () => {
    const frame = frameOfPacket({ from: red, to: blue, protocol: "udp" }, 1);
    frame.writeUInt8(frame.readUInt8(frame.length - 1) ^ 1, frame.length - 1);
    expect((await dataplane.wire.send([{ port: portOf(red), frame }])).size).toBe(0);
    await expect(dataplane.verdicts([])).rejects.toThrow("conntrack_l4csum_err 1");
  });
});
