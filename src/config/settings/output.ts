// The flag of the forms in which a command prints; each command has its own.

import {
  getFormats,
  tableFormats,
  renderFormats,
  listFormats,
  manifestFormats,
  matrixFormats,
  planFormats,
  lintFormats,
} from "../choices.ts";
import { backends } from "../../backends.ts";
import type { Setting } from "../setting.ts";

/** Which backends' forms there are. */
function formsText(): string {
  const forms = backends.flatMap(({ name, forms: own }) =>
    Object.keys(own).map((form) => `${form}: with --backend ${name}`),
  );
  return forms.map((form) => `; ${form}`).join("");
}

export const outputs = [
  {
    flag: "output",
    commands: ["explain", "can", "doctor"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${tableFormats.join(", ")}`,
    choices: tableFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["support-bundle"],
    short: "o",
    argument: "FILE",
    help: "the archive that is written, .tar.gz; one that exists is not replaced",
    fallback: "",
    onLineOnly: true,
  },
  {
    flag: "anonymize",
    commands: ["support-bundle"],
    argument: null,
    help: "replace names and addresses of the cluster by keyed hashes; FILE.names.json says which is which",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "dry-run",
    commands: ["support-bundle"],
    argument: null,
    help: "print what the archive would hold, and read nothing",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "namespace",
    commands: ["support-bundle"],
    short: "n",
    argument: "NAMESPACE",
    help: "where the Pods of Northgate are, whose logs and metrics are read",
    fallback: "northgate-system",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["matrix"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${matrixFormats.join(", ")}`,
    choices: matrixFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["render"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${renderFormats.join(", ")}${formsText()}`,
    choices: renderFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["get"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${getFormats.join(", ")}; wide: with the places of policies`,
    choices: getFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["plan"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${planFormats.join(", ")}`,
    choices: planFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "report",
    commands: ["plan"],
    argument: "FORMAT=FILE",
    help: "also write the plan to a file, in one of the forms of -o: markdown=comment.md; may be repeated",
    fallback: "",
    isList: true,
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["cleanup"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${listFormats.join(", ")}`,
    choices: listFormats,
    fallback: "table",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["migrate"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${manifestFormats.join(", ")}`,
    choices: manifestFormats,
    fallback: "yaml",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["lint"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${lintFormats.join(", ")}`,
    choices: lintFormats,
    fallback: "table",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];
