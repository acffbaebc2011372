// Planning is a function: the same desired rows, actual rows and pending places give the same operations, however often
// they are planned, and planning changes none of them. Against a real database that holds the rows of other policies.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Actual } from "../../src/nbdb/actual/actual.ts";
import { InFlight } from "../../src/nbdb/actual/in-flight.ts";
import { UnitPending } from "../../src/nbdb/pending.ts";
import type { PlanContext } from "../../src/nbdb/plan/context.ts";
import { planPrewrite, prewriteWeight } from "../../src/nbdb/plan/prewrite.ts";
import { planUnit } from "../../src/nbdb/plan/unit.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { MemorySource, openNorthbound, owners, startController } from "../support/controller.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { Renderer, text } from "../support/renderer.ts";

const http = { name: "http", protocol: "tcp", port: 80 } as const;
const facts = [
  namespace("a", { tenant: "a" }),
  namespace("b", { tenant: "b" }),
  pod("a", "one", { ips: ["10.0.0.1"], ports: [http] }),
  pod("b", "one", { ips: ["10.0.0.2"], ports: [{ ...http, port: 8080 }] }),
];
const from = [{ namespaces: {} }];
const policy = (ingress: readonly unknown[], tenant = "a") =>
  anp("planned", { subject: namespacesWith({ tenant }), ingress });
const before = policy([
  { action: "Allow", from, ports: [{ namedPort: "http" }] },
  { action: "Pass", from },
]);
const edits = {
  "a policy that is not there": anp("new", { ingress: [{ action: "Deny", from }] }),
  "another action": policy([
    { action: "Allow", from, ports: [{ namedPort: "http" }] },
    { action: "Deny", from },
  ]),
  "another subject and a rule less": policy([{ action: "Allow", from, ports: [{ namedPort: "http" }] }], "b"),
};

await describeWithOvn("planning", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await ovn.nbctl("ls-add", "sw", "--", "lsp-add", "sw", "a_one", "--", "lsp-add", "sw", "b_one");
    session = openNorthbound(ovn.nb);
    await session.opened();
    const controller = startController(session, new MemorySource([...facts, before]), {
      families: ["v4", "v6"],
      zone: null,
    });
    await controller.loop.idle();
    await controller.stop();
  });
  afterAll(async () => {
    await session.close();
    await ovn.stop();
  });

  test.each(
    namedPortForms.flatMap((form) =>
      Object.entries(edits).map(([name, edit]) => [form, name, edit] as const),
    ),
  )("named ports as %s, twice of %s is the same, and changes nothing", (form, _, edit) => {
    const renderer = new Renderer(form, facts);
    renderer.see(before);
    const { state, pending } = renderer.see(edit);
    const actual = new Actual(session.cache, rowOwners(owners));
    const context = (): PlanContext => {
      let names = 0;
      return {
        ...{ actual, ...renderer.contents(), lost: new Map(), inFlight: new InFlight() },
        newName: () => `row${names++}`,
        keptPorts: new Set<never>(),
        samples: null,
      };
    };
    const { unit } = state.rows;
    const whole = new UnitPending(true);
    for (const places of [pending, whole]) {
      const seen = () => [text(Object.entries(places)), text([...renderer.rows(state)]), text(state.rows)];
      const untouched = seen();
      const plans = [1, 2].map(() => planUnit(unit, state, places, context()));
      const ahead = [1, 2].map(() => [...planPrewrite(state, context())]);
      const weights = [1, 2].map(() => prewriteWeight(state, context()));
      expect(plans[0]).not.toEqual([]);
      expect(plans[1]).toEqual(plans[0]);
      expect(ahead[1]).toEqual(ahead[0]);
      expect(weights[1]).toBe(weights[0]);
      expect(seen()).toEqual(untouched);
    }
    expect([1, 2].map(() => planUnit(unit, null, whole, context()).length)).toEqual(
      edit.name === "new" ? [0, 0] : [expect.any(Number), expect.any(Number)],
    );
  });
});
