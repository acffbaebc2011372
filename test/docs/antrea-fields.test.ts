// The tables of docs/antrea.md name every field that the definitions of Antrea's kinds have, and exactly the fields that
// the parser knows: it is asked about each of them, and about one that nobody has.

import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { antrea } from "../support/dialects.ts";
import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";
import { acnp, clusterGroup, resolving } from "../support/antrea.ts";
import { root } from "./reader.ts";

type Json = Readonly<Record<string, unknown>>;

const page = readFileSync(`${root}/docs/antrea.md`, "utf8");

/** The names in the first column of the section's table. */
function documented(section: string): ReadonlySet<string> {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const rows = (text.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.map((row) => row.split("|")[1] ?? "");
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([a-z]\w*)/gi)].map(([, name = ""]) => name)));
}

/** What a definition has below `spec`, `items` of lists left out: `ingress.from.ipBlock`. */
function defined(schema: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const { properties, items } = fieldsOf(schema);
  const below = Object.entries(fieldsOf(properties)).flatMap(([name, inner]) => [
    [...path, name],
    ...defined(inner, [...path, name]),
  ]);
  return [...below, ...(items === undefined ? [] : defined(items, path))];
}

const definitions = globSync("manifests/crds/antrea/*s.yaml", { cwd: root }).flatMap((file) => {
  const { spec } = fieldsOf(parse(readFileSync(`${root}/${file}`, "utf8")));
  const { names, versions } = fieldsOf(spec);
  const version: unknown = Array.isArray(versions) ? versions[0] : undefined;
  const { openAPIV3Schema } = fieldsOf(fieldsOf(version)["schema"]);
  const { spec: schema } = fieldsOf(fieldsOf(openAPIV3Schema)["properties"]);
  return defined(schema).map((path) => [String(fieldsOf(names)["kind"]), ...path].join("."));
});

const rule = (side: "ingress" | "egress", more: Json): Json => ({ [side]: [{ action: "Drop", ...more }] });
const inPolicy = (more: Json, ...others: readonly ReferencedObject[]): Asked => ({
  policy: acnp("p", { priority: 5, appliedTo: [{ podSelector: {} }], ...more }),
  others,
});

interface Place {
  readonly section: string;
  /** Of its fields in the definitions. */
  readonly path: RegExp;
  /** An object that has just this field there, and what it refers to. */
  readonly of: (field: Json) => Asked;
}

interface Asked {
  readonly policy: PolicyObject;
  readonly others: readonly ReferencedObject[];
}

const places: readonly Place[] = [
  { section: "Policy", path: /^\w*NetworkPolicy$/, of: inPolicy },
  {
    section: "appliedTo",
    path: /^\w*NetworkPolicy\.((in|e)gress\.)?appliedTo$/,
    of: (field) => inPolicy({ appliedTo: [field] }),
  },
  { section: "Rules", path: /\.ingress$/, of: (field) => inPolicy(rule("ingress", field)) },
  { section: "Rules", path: /\.egress$/, of: (field) => inPolicy(rule("egress", field)) },
  { section: "Peers", path: /\.from$/, of: (field) => inPolicy(rule("ingress", { from: [field] })) },
  { section: "Peers", path: /\.to$/, of: (field) => inPolicy(rule("egress", { to: [field] })) },
  {
    section: "Peers",
    path: /\.(from|to)\.ipBlock$/,
    of: (field) => inPolicy(rule("egress", { to: [{ ipBlock: field }] })),
  },
  {
    section: "Ports and protocols",
    path: /\.ports$/,
    of: (field) => inPolicy(rule("egress", { ports: [field] })),
  },
  ...["", "icmp", "igmp"].map((inner) => ({
    section: "Ports and protocols",
    path: new RegExp(`\\.protocols${inner === "" ? "" : `\\.${inner}`}$`),
    of: (field: Json) => inPolicy(rule("egress", { protocols: [inner === "" ? field : { [inner]: field }] })),
  })),
  {
    section: "ClusterGroup and Group",
    path: /^(Cluster)?Group$/,
    of: (field) => inPolicy(rule("egress", { to: [{ group: "g" }] }), clusterGroup("g", field)),
  },
];

function isKnown(name: string, { of }: Place): boolean {
  const { policy, others } = of({ [name]: {} });
  const { problems } = antrea.compile(policy, resolving(...others).resolve);
  return !problems.some(({ field, message }) =>
    `${field}: ${message}`.endsWith(`.${name}: this field is not known here`),
  );
}

function definedAt({ path }: Pick<Place, "path">): readonly string[] {
  return definitions.flatMap((full) => {
    const dot = full.lastIndexOf(".");
    return path.test(full.slice(0, dot)) ? [full.slice(dot + 1)] : [];
  });
}

const sections = [...new Set(places.map(({ section }) => section))];
const words = new Set(["strange", ...sections.flatMap((section) => [...documented(section)])]);

describe.each(sections)("%s", (section) => {
  const here = places.filter((place) => place.section === section);

  test("has every field of the definitions in the table", () => {
    for (const place of here) {
      const names = definedAt(place);
      expect(names.length).toBeGreaterThan(1);
      expect(names.filter((name) => !documented(section).has(name))).toEqual([]);
      expect(names.filter((name) => !isKnown(name, place))).toEqual([]);
    }
  });

  test("has the fields that the parser knows, and no other", () => {
    const known = [...words].filter((name) => here.some((place) => isKnown(name, place)));
    expect(known.sort()).toEqual([...documented(section)].sort());
  });
});

test("Tier has every field of the definition in the table", () => {
  const names = definedAt({ path: /^Tier$/ });
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !documented("Tier").has(name))).toEqual([]);
});

function fieldsOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
