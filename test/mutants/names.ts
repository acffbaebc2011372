// Mistakes in what a run remembers of the answers of DNS, and in what patterns of names match.

import type { Listed } from "./list.ts";

export const names: readonly Listed[] = [
  {
    name: "an-expired-address-stays",
    file: "src/names/known-name.ts",
    was: "return (this.#addresses.get(ip)?.until ?? 0) <= now;",
    becomes: "return (this.#addresses.get(ip)?.until ?? 0) <= now - 3_600_000;",
    harm: "an address that DNS no longer answers is allowed for another hour",
  },
  {
    name: "an-answer-shortens-a-deadline",
    file: "src/names/known-name.ts",
    was: "until: Math.max(before?.until ?? 0, due),",
    becomes: "until: due,",
    harm: "an address is removed while an answer with it counts that a client may still use",
  },
  {
    name: "a-wildcard-matches-its-apex",
    file: "src/model/selectors/host-names.ts",
    was: 'textRequirement("EndsWith", tail)',
    becomes: 'textRequirement("EndsWith", tail.replace(/^\\./, ""))',
    harm: "a rule of *.example.org allows the addresses of example.org",
  },
  {
    name: "a-refused-address-is-taken",
    file: "src/names/answers.ts",
    was: "      this.#refuse(refusal, ip, known);\n      return;\n",
    becomes: "      this.#refuse(refusal, ip, known);\n",
    harm: "a zone that answers with addresses of pods, nodes or Services opens them",
  },
  {
    name: "what-a-pod-gets-stays-with-the-name",
    file: "src/names/answers.ts",
    was: "if (isOver || refusal !== null) this.#drop(known, ip);",
    becomes: "if (isOver) this.#drop(known, ip);",
    harm: "a pod that gets an address which a name led to is allowed by the name",
  },
  {
    name: "a-search-suffix-needs-no-alias",
    file: "src/names/dnstap/search-suffixes.ts",
    was: "return names.includes(alias) ? alias : name;",
    becomes: "return bases.length > 0 ? alias : name;",
    harm: "a Service of type ExternalName is taken for the name that it leads to",
  },
  {
    name: "a-start-forgets-what-sets-hold",
    file: "src/names/names.ts",
    was: "if (ips.length === 0) continue;",
    becomes: "if (ips.length >= 0) continue;",
    harm: "a restart closes every rule of names until DNS has answered again",
  },
];
