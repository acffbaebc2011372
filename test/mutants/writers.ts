// Mistakes about who writes, when nothing is written, and what is said of it.

import type { Listed } from "./list.ts";

export const writers: readonly Listed[] = [
  {
    name: "wrong-zone-writes",
    file: "src/controller/wrong-zone.ts",
    was: "return found !== null && backend.holdsRows() ? found : null;",
    becomes: "return null;",
    harm: "a mistyped --zone empties every port group",
  },
  {
    name: "other-zone-is-no-fault",
    file: "src/status/in-force.ts",
    was: 'return everywhere?.reason === "ZoneMismatch" ? everywhere : null;',
    becomes: "return null;",
    harm: "the database of another zone loses its memberships",
  },
  {
    name: "flags-of-others-do-not-matter",
    file: "src/nbdb/write/writer-profile.ts",
    was: "theirs: theirs.get(flag) ?? value,",
    becomes: "theirs: value,",
    harm: "two replicas with other flags rewrite each other's rows at each transition, and both are ready",
  },
  {
    name: "claims-without-sight",
    file: "src/status/sight.ts",
    was: "return !this.isLost && this.#options",
    becomes: "return this.#options",
    harm: "an instance that is cut off from its source takes the claim from one that sees",
  },
  {
    name: "errors-are-contact",
    file: "src/kube/read/contact.ts",
    was: "return status === 200;",
    becomes: "return true;",
    harm: "an API server that answers 500 to everything counts as seen, and its leader stays ready",
  },
  {
    name: "a-probe-is-as-good-as-a-watch",
    file: "src/kube/read/contact.ts",
    was: "if (this.#isWatched && this.#watches === watches) this.met();",
    becomes: "this.met();",
    harm: "a standby leads with what it knew before the outage, and writes older rows over newer ones",
  },
  {
    name: "conditions-of-nodes-removed",
    file: "src/kube/write/departed-zones.ts",
    was: "&& zone !== own && !hasNode(zone)",
    becomes: "&& zone !== own",
    harm: "a zone's program removes the conditions of every other zone",
  },
  {
    name: "a-held-up-look-is-rest",
    file: "src/informers/directory/settling.ts",
    was: "return this.#begunMs - since >= this.#quietMs;",
    becomes: "return this.#endedMs - since >= this.#quietMs;",
    harm: "on a busy machine a directory that is being filled loses the rows of the policies that are not there yet",
  },
  {
    name: "forbidden-policies-are-deleted",
    file: "src/kube/read/source.ts",
    was: "(!followed.reflector.synced || followed.store.mayExist(key))",
    becomes: "followed.store.mayExist(key)",
    harm: "a missing right for one kind removes the rows of all its policies at the next start",
  },
];
