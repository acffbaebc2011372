// The judges of planted mistakes, from the one that looks closest to the one that looks at most: each is a part of the tests
// that runs apart from the others.

import type { Judge } from "./workshop.ts";

/** Fewer than `make test` judges: of a mistake only that it is seen is asked, and most are seen at once. */
const worlds = { NORTHGATE_PROOF_WORLDS: "25", NORTHGATE_PROOF_WALKS: "2", SEED: "1" };

export const judges: readonly Judge[] = [
  {
    name: "unit",
    // A test that does not come by the file cannot see a mistake in it.
    tests: (files) => ["--testMatch=<rootDir>/src/**/*.test.ts", "--findRelatedTests", ...files],
    environment: {},
  },
  { name: "rows", tests: () => ["test/golden/", "test/nbdb/", "test/scenarios/"], environment: {} },
  {
    name: "trace",
    tests: () => ["test/proof/proof.test.ts"],
    environment: { ...worlds, NORTHGATE_PROOF_JUDGES: "trace" },
  },
  {
    name: "dataplane",
    tests: () => ["test/proof/proof.test.ts"],
    environment: { ...worlds, NORTHGATE_PROOF_JUDGES: "dataplane" },
  },
  {
    name: "transitions",
    tests: () => ["test/proof/transitions.test.ts"],
    environment: { ...worlds, NORTHGATE_PROOF_JUDGES: "trace" },
  },
  {
    name: "names",
    // What is remembered of answers, and what patterns match: the walks ask the rows, without a part of OVN.
    tests: (files) =>
      files.some((file) => /^src\/(names\/|model\/selectors\/host-names)/.test(file))
        ? ["test/proof/names/"]
        : null,
    environment: { ...worlds, NORTHGATE_PROOF_WALKS: "4" },
  },
  {
    name: "netfilter",
    // Rows know nothing of a packet filter. Of packets, the ways that no random world has are enough.
    tests: (files) =>
      files.some((file) => /^src\/netfilter\/([^/]+|nft\/.+)$/.test(file))
        ? [
            "test/netfilter/verdicts",
            "test/netfilter/text",
            "test/netfilter/worlds",
            "test/netfilter/saved",
            "test/netfilter/nft-saved",
            "test/netfilter/ways",
          ]
        : null,
    environment: { REQUIRE: "netfilter" },
  },
  {
    name: "node",
    // How a node is written: the contract on the double of its tools, and the agent on the real ones.
    tests: (files) =>
      files.some((file) => /^src\/netfilter\/(live|run|nft)\//.test(file))
        ? [
            ...["test/backend/backend.contract", "test/netfilter/agent.test", "test/netfilter/established"],
            "test/netfilter/table-agent",
            ...[
              "test/netfilter/names-clash",
              "-t",
              "packet filter|the agent|open connections|of one name|with one name",
            ],
          ]
        : null,
    environment: { REQUIRE: "netfilter" },
  },
  {
    name: "existing",
    // Only how rows are read is seen here.
    tests: (files) =>
      files.some((file) => /^src\/(nbdb\/(audit|tools)|cli)\//.test(file)) ? ["test/acl-audit/"] : null,
    environment: {},
  },
];
