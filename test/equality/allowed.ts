// What the outputs of this tree may differ in from those of the base, each with its reason. It is emptied again when the base
// moves on: `make same` is run after every change of structure, and a difference is mended or stands here.

export interface Allowed {
  readonly command: string;
  /** Only where the command line has one of these words; absent: everywhere. */
  readonly given?: readonly string[];
  /** A field of its JSON by its name, or what else a program reads. */
  readonly part: { readonly field: string } | "exit code" | "places";
  /** unordered: a list may have another order. added: the base has no such field. Absent: it may have any value. */
  readonly as?: "unordered" | "added";
  readonly why: string;
}

const inOrder =
  "rules that precede a rule are listed in the order of evaluation, not in that of the pods that meet them";
const newRules = "NG019 to NG034 are new, and findings have an edit";
const workloads = "workloads whose pods are not there are ends too";
const switchedOff =
  "an object of a kind that is switched off is left alone, also where a kind of the same name is read; it was an error";
const manifests =
  "Deployments are read, and a document that has nothing of an object is left alone; it was an error";

export const allowed: readonly Allowed[] = [
  ...["related", "relatedLocations"].map((field): Allowed => ({
    command: "lint",
    part: { field },
    as: "unordered",
    why: inOrder,
  })),
  ...["findings", "counts", "results", "rules"].map((field): Allowed => ({
    command: "lint",
    part: { field },
    why: newRules,
  })),
  ...["get", "plan"].map((command): Allowed => ({
    command,
    part: { field: "workloads" },
    as: "added",
    why: workloads,
  })),
  { command: "plan", part: { field: "summary" }, as: "added", why: "the changes are also summed up" },
  ...(["exit code", "places"] as const).map((part): Allowed => ({
    ...{ command: "render", given: ["--enable-antrea-policy", "--enable-network-policy"] },
    ...{ part, why: switchedOff },
  })),
  ...["get", "lint", "plan"].map((command): Allowed => ({
    command,
    given: ["broken", "dir:broken"],
    part: "places",
    why: manifests,
  })),
  { command: "plan", given: ["broken", "dir:broken"], part: { field: "why" }, why: manifests },
];

/** Manifests of which `plan` gives other verdicts than the base: its classes tell connections from certain source ports apart. */
export function haveOtherPlans(manifests: readonly unknown[]): boolean {
  return JSON.stringify(manifests).includes('"sourcePort":');
}

/**
 * The flags without those after which `explain` answers otherwise than the base: a pod is asked about at an address of a family
 * that is served, and not at its first one.
 */
export function ofOneMeaning(flags: readonly string[]): readonly string[] {
  const at = flags.indexOf("--ip-families");
  return at < 0 ? flags : flags.toSpliced(at, 2);
}
