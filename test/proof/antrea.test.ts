// Every policy of Antrea's that the proof draws is accepted by its dialect, and the worlds hold what they are to prove: all
// of the forms, groups that are there and that are not, priorities that meet.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isApiObject, keyOf } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import { antreaDialects, withAntrea } from "./antrea-policies.ts";
import { lacking } from "../support/lacking.ts";
import { proofWorld } from "./worlds.ts";

test("every policy that is drawn compiles, and the words of the API all come", async () => {
  const words = new Set<string>();
  const places = { shared: 0, closed: 0 };
  const property = fc.property(withAntrea(proofWorld), ({ objects }) => {
    const model = new OfflineModel({
      dialects: antreaDialects,
      families: ["v4", "v6"],
      backend: () => noBackend,
    });
    model.observe(objects);
    const mine = objects.filter((one) => isApiObject(one) && one.apiVersion.startsWith("crd.antrea.io/"));
    for (const one of mine) {
      const record = model.record(keyOf(one));
      if (record === null) continue;
      expect([record.rejected, record.rejected ? record.problems : []]).toEqual([false, []]);
      if (record.problems.some(({ severity }) => severity === "error")) places.closed++;
      for (const [word] of JSON.stringify(record.object.spec).matchAll(/"[a-zA-Z]+"/g)) words.add(word);
    }
    const interleaved = model.policies().filter((policy) => policy.interleaved === true);
    const at = new Set(interleaved.map(({ tier, priority }) => `${tier.name} ${priority}`));
    if (at.size < interleaved.length) places.shared++;
  });
  const run = (): void => {
    fc.assert(property, { numRuns: 60 });
  };
  expect(await lacking(places, { shared: 4, closed: 4 }, run)).toEqual([]);
  const ofTheApi = [
    ...["Pass", "Reject", "Drop", "Allow", "Self", "sameLabels", "serviceAccount", "nodeSelector", "ipBlock"],
    ...["group", "icmpType", "sourcePort", "toServices"],
  ];
  expect(ofTheApi.filter((word) => !words.has(`"${word}"`))).toEqual([]);
});
