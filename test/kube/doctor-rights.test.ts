// `northgate doctor` about a service account on a real API server: of the rights that the manifests give, each is taken away once, and
// the review names that one and no other.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { readDoctorConfig } from "../../src/config/answers/doctor.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { examineInstallation } from "../../src/wiring/doctor.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import { installCrds } from "./crds.ts";
import { describeWithControlPlane } from "./support.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

const files = ["manifests/base/rbac.yaml", "manifests/metrics-auth/rbac.yaml"];
const roles = files
  .flatMap((file) => parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS() as Role))
  .filter(({ kind, metadata }) => kind.endsWith("Role") && metadata.name !== "northgate-metrics-reader");

/** One right, and its role without it. */
interface Missing {
  readonly right: string;
  readonly check: string;
  readonly role: Role;
}

/** A right as the review's line names it. */
function named({
  verb,
  resource,
  group,
  name,
}: Readonly<Record<"verb" | "resource" | "group" | "name", string>>) {
  const [kind = "", subresource] = resource.split("/");
  const of = `${kind}${group === "" ? "" : `.${group}`}${name === "" ? "" : `/${name}`}`;
  return `${verb} ${of}${subresource === undefined ? "" : ` --subresource=${subresource}`}`;
}

function checkOf(verb: string, group: string): string {
  if (verb === "patch" || (verb === "create" && group === "")) return "rights-report";
  return verb === "create" ? "rights-review" : "rights-read";
}

/** Every rule of the roles as rules of one right each. */
const single = (role: Role): readonly Rule[] =>
  role.rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) =>
          verbs.map((verb) => ({
            apiGroups: [group],
            resources: [resource],
            ...(name === "" ? {} : { resourceNames: [name] }),
            verbs: [verb],
          })),
        ),
      ),
    ),
  );

const missing: readonly Missing[] = roles.flatMap((role) => {
  const rules = single(role);
  return rules.map((rule) => {
    const [[verb = ""], [resource = ""], [group = ""], [name = ""]] = [
      rule.verbs,
      rule.resources,
      rule.apiGroups,
      rule.resourceNames ?? [],
    ];
    const right = named({ verb, resource, group, name });
    return {
      right,
      check: checkOf(verb, group),
      role: { ...role, rules: rules.filter((one) => one !== rule) },
    };
  });
});

await describeWithControlPlane("doctor about a service account", (plane) => {
  const failed = async (): Promise<readonly Finding[]> => {
    const flags = {
      kubeconfig: [plane().kubeconfig],
      "service-account": ["northgate-system/northgate"],
      "metrics-auth": ["token"],
    };
    const findings = await examineInstallation(readDoctorConfig({ flags, environment: {} }));
    return findings.filter(({ check, state }) => check.startsWith("rights-") && state !== "ok");
  };
  const put = async (role: Role): Promise<void> => {
    await plane().kubectl(["apply", "-f", "-"], { input: JSON.stringify(role) });
  };

  test(
    "each right that is taken away is found, by itself",
    async () => {
      expect(missing.length).toBeGreaterThanOrEqual(15);
      await installCrds(plane());
      await plane().kubectl(["apply", "-f", "manifests/base/namespace.yaml"]);
      for (const file of files) await plane().kubectl(["apply", "-f", file]);
      for (const { right, check, role } of missing) {
        await put(role);
        // The server's authorizer learns of a role a moment later.
        await eventually(async () => {
          const found = (await failed()).map((one) => [one.check, one.state, one.text]);
          expect({ right, found }).toEqual({
            right,
            found: [[check, "fail", expect.stringMatching(new RegExp(`may not ${right}( -n \\S+)?$`))]],
          });
        }, 20_000);
        for (const one of roles) if (one.metadata.name === role.metadata.name) await put(one);
      }
      await eventually(async () => {
        expect(await failed()).toEqual([]);
      }, 20_000);
    },
    patience(120_000),
  );
});
