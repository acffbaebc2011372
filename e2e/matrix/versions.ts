// The versions that `make matrix` can run on, where each comes from, and what of the order cannot be had.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SettingsError } from "../../scripts/support/variables.ts";

const cache = fileURLToPath(new URL("../../.cache", import.meta.url));

export interface Version {
  /** As the variable names it. */
  readonly name: string;
  readonly from: string;
  /** Scripts that bring it, with their arguments. */
  readonly builds: readonly (readonly string[])[];
  readonly env: NodeJS.ProcessEnv;
  /** In place of those of the axis. */
  readonly files?: readonly string[];
  /** Prints its version. */
  readonly says: readonly [program: string, ...args: readonly string[]];
}

export interface Axis {
  readonly part: "Kubernetes" | "OVN";
  readonly variable: "K8S" | "OVN";
  /** Tests whose outcome may depend on it. */
  readonly files: readonly string[];
  readonly versions: readonly Version[];
}

function kubernetes(name: string, folder: string, build: readonly string[]): Version {
  const bin = join(cache, folder, "bin");
  return {
    ...{ name, from: "its Go module", builds: [build], env: { KUBEBUILDER_ASSETS: bin } },
    says: [join(bin, "kube-apiserver"), "--version"],
  };
}

function ovn(name: string, from: string, folder: string): Version {
  const prefix = join(cache, folder);
  return {
    ...{
      name,
      from,
      builds: [["scripts/fetch-ovn.sh", prefix, name]],
      env: { NORTHGATE_OVN_PREFIX: prefix },
    },
    says: [join(prefix, "bin", "ovn-nbctl"), "--version"],
  };
}

/** Debian 12's has no tiers: what is tested is that the program says so. */
function tooOld(name: string, from: string): Version {
  const folder = join(cache, `ovn-${name}`);
  return {
    ...{
      name,
      from,
      builds: [["e2e/matrix/fetch-schema.sh", folder]],
      files: ["e2e/matrix/too-old.test.ts"],
    },
    env: { OLD_NB_SCHEMA: join(folder, "schema", "ovn-nb.ovsschema") },
    says: ["cat", join(folder, "version")],
  };
}

const other = (minor: string): Version =>
  kubernetes(minor, `controlplane-${minor}`, ["e2e/controlplane/build-version.sh", minor]);

export const axes: readonly Axis[] = [
  {
    ...{ part: "Kubernetes", variable: "K8S" },
    files: ["access", "lifecycle", "faults", "rights", "network-policy", "calico", "antrea"].map(
      (name) => `e2e/${name}.test.ts`,
    ),
    versions: [
      other("1.32"),
      kubernetes("1.34", "controlplane", ["e2e/controlplane/build.sh"]),
      other("1.36"),
    ],
  },
  {
    ...{ part: "OVN", variable: "OVN" },
    files: ["test/golden", "test/oracle", "test/acl-audit", "test/election", "test/ovsdb", "test/proof"],
    versions: [
      tooOld("bookworm", "Debian 12; too old: the program names `ACL.tier` and writes nothing"),
      ovn("trixie", "Debian 13", "ovn"),
      ovn("sid", "Debian sid", "ovn-sid"),
    ],
  },
];

/** What was asked for and cannot be run here, with the reason. */
export const notRun: readonly (readonly [what: string, why: string])[] = [
  [
    "OVN 23.06, the first with `tier`",
    "no Debian release has it: Debian 12 has 23.03, bookworm-backports none that is newer, Debian 13 has 25.03, sid 26.03",
  ],
];

export function versionsOf(
  texts: Readonly<Record<Axis["variable"], string>>,
): readonly { readonly axis: Axis; readonly version: Version }[] {
  return axes.flatMap((axis) => {
    const names = texts[axis.variable].split(",").filter((name) => name !== "");
    return names.map((name) => {
      const version = axis.versions.find((one) => one.name === name);
      if (version !== undefined) return { axis, version };
      const known = axis.versions.map((one) => one.name).join(", ");
      throw new SettingsError(`${axis.variable}=${name}: not one of ${known}`);
    });
  });
}
