// What a controller's page says that nobody follows: Services are followed where policies may name them.

import { expect, test } from "@jest/globals";
import { hostName, namespace, pod } from "../../../test/support/facts.ts";
import { anp } from "../../../test/support/policies.ts";
import type { WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import { namesFlag } from "../../policy/contracts/names.ts";
import { explained } from "../../ui/tester.ts";
import { kindFlags } from "../../../test/support/dialects.ts";
import { FedWorld } from "./fed-world.ts";
import { noThreads } from "../../../test/support/shown-world.ts";
import { byDefault } from "../../../test/support/backend-config.ts";

test.each([
  [false, "the controller follows neither Services nor policies of kinds that it does not enforce"],
  [true, "the controller does not follow policies of kinds that it does not enforce"],
])("with Antrea's kinds: %s", (antrea, sentence) => {
  const kinds = kindFlags({ networkPolicy: true, antrea });
  const { asked } = new FedWorld(
    { kind: "fed", families: null, from: "", mode: byDefault, kinds },
    () => noThreads,
  );
  expect(asked.notAsked).toEqual([sentence]);
});

test("names that the controller resolves are ends of the tester", () => {
  const kinds = { ...kindFlags({}), [namesFlag]: "poll" };
  const world = new FedWorld(
    { kind: "fed", families: null, from: "", mode: byDefault, kinds },
    () => noThreads,
  );
  const all = { namespaces: {} };
  const egress = [
    { action: "Allow", to: [{ domainNames: ["api.example.org"] }] },
    { action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] },
  ];
  const fed = (object: WorldObject) => ({
    ...{ key: keyOf(object), object, kept: null, isNew: false, places: [] },
  });
  const objects = [
    ...[namespace("shop"), pod("shop", "web", { ips: ["10.0.0.1"] }), anp("p", { subject: all, egress })],
    hostName("api.example.org", "198.51.100.1", "198.51.100.2"),
  ];
  world.change(objects.map(fed));
  const asked = new URLSearchParams({
    from: "shop/web",
    to: "api.example.org",
    protocol: "tcp",
    port: "443",
  });
  expect(explained(world, asked)).toEqual({
    ...{ name: "api.example.org", total: 2 },
    addresses: [
      { to: "198.51.100.1", verdict: "allow" },
      { to: "198.51.100.2", verdict: "allow" },
    ],
  });
  world.change([{ ...fed(hostName("api.example.org")), object: null }]);
  expect(explained(world, asked)).toEqual({ error: expect.stringContaining("nothing is recorded") });
});
