// Which group of its kinds a cluster is asked for; and that manifests have either.

import { expect, test } from "@jest/globals";
import { everyKind, installed } from "../../dialects.ts";
import { apiVersionOf, askedKinds, servedKinds } from "../../model/object.ts";

const [crd, v3] = ["crd.projectcalico.org/v1", "projectcalico.org/v3"];

test.each<[string, readonly string[]]>([
  ["auto", [crd, v3]],
  ["crd", [crd]],
  ["v3", [v3]],
])("%s", (api, asked) => {
  const { policies, references } = installed({
    ...everyKind,
    ...{ "policy-model": "calico", "calico-api": api },
  });
  const own = [...policies, ...references].filter(({ group }) => group === "projectcalico.org");
  expect(own.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([
      "GlobalNetworkPolicy",
      "NetworkPolicy",
      "Tier",
      "NetworkSet",
      "GlobalNetworkSet",
    ]),
  );
  for (const kind of own) {
    expect(askedKinds(kind).map(apiVersionOf)).toEqual(asked);
    expect(servedKinds(kind).map(apiVersionOf)).toEqual([crd, v3]);
  }
});
