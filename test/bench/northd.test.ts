// `make bench W=northd`: what it reads from northd, that its forms are about the same pods, and on a small OVN what makes northd
// compute all flows again.

import { describe, expect, test } from "@jest/globals";
import { formsOf, portsOf, range, type Size, switchesOf } from "../../bench/northd/forms.ts";
import { NorthdGround, recomputesOf } from "../../bench/northd/ground.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";

const size: Size = { switches: 6, ports: 3, groups: 2, rules: 2, span: 2 };

describe("what northd says", () => {
  const stats = `Node: northd
- recompute:            1
- compute:              4
- cancel:               0
Node: lflow
- recompute:           12
- compute:              3
- cancel:               0
`;

  test("is read by node", () => {
    expect(recomputesOf(stats, "lflow")).toBe(12);
    expect(recomputesOf(stats, "northd")).toBe(1);
  });

  test("a node that is not there is no zero", () => {
    expect(() => recomputesOf(stats, "flow")).toThrow("northd does not say how often it computed flow");
  });
});

test("every form has as many ACLs, and the first has each group on its switches alone", () => {
  const forms = formsOf(size);
  for (const { groups } of forms)
    expect(groups.flatMap(({ matches }) => matches)).toHaveLength(size.groups * size.rules);
  for (const at of range(size.groups)) {
    expect(forms[0]?.groups[at]?.ports).toEqual(portsOf(at, size));
    expect(new Set(switchesOf(at, size)).size).toBe(size.span);
  }
});

await describeWithOvn("northd", (install) => {
  const [ports, resting, addresses] = formsOf(size);

  test.each([
    [ports?.name, "a port, on a switch of the group"],
    [resting?.name, "a port, on another switch"],
    [addresses?.name, "an address of the subject"],
    [addresses?.name, "a port of the group"],
  ])(
    "%s: %s is computed incrementally",
    async (title, name) => {
      const form = formsOf(size).find((one) => one.name === title);
      const event = form?.events.find((one) => one.name === name);
      if (form === undefined || event === undefined) throw new Error(`there is no ${name}`);
      const ground = await NorthdGround.open(form, size, install);
      try {
        for (const round of range(2)) {
          const { cpuMs, recomputed } = await ground.cost(event.operations(round));
          expect(recomputed).toBe(false);
          expect(cpuMs).toBeGreaterThan(0);
        }
      } finally {
        await ground.close();
      }
    },
    patience(60_000),
  );

  test(
    "a port on another switch is computed again by the OVN that does so",
    async () => {
      const event = ports?.events.find(({ name }) => name === "a port, on another switch");
      if (ports === undefined || event === undefined) throw new Error("there is no such event");
      const ground = await NorthdGround.open(ports, size, install);
      try {
        const { recomputed } = await ground.cost(event.operations(0));
        const [major = 0, minor = 0] = install.version.split(".").map(Number);
        expect(recomputed).toBe(major * 100 + minor < 2509);
      } finally {
        await ground.close();
      }
    },
    patience(60_000),
  );
});
