// What a controller's page says that nobody follows: Services are followed where policies may name them.

import { expect, test } from "@jest/globals";
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
