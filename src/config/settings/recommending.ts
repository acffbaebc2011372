// Flags of `recommend` alone.

import { recommendFormats } from "../choices.ts";
import type { Setting } from "../setting.ts";

export const recommending = [
  {
    flag: "flows",
    commands: ["recommend"],
    argument: "FILE",
    help: "the record of connections that the policies are to allow; observe --record writes it",
    fallback: null,
    onLineOnly: true,
  },
  {
    flag: "namespace",
    commands: ["recommend"],
    short: "n",
    argument: "NAMESPACE",
    help: "only policies for this namespace; may be repeated (every namespace in which a recorded connection has an end)",
    fallback: "",
    isList: true,
    onLineOnly: true,
  },
  {
    flag: "allow-unjudged",
    commands: ["recommend"],
    argument: null,
    help: "recorded connections that could not be evaluated do not set exit code 1",
    fallback: "false",
    onLineOnly: true,
  },
  {
    flag: "output",
    commands: ["recommend"],
    short: "o",
    argument: "FORMAT",
    help: `how to print: ${recommendFormats.join(", ")}; yaml: manifests, with the coverage as comments`,
    choices: recommendFormats,
    fallback: "yaml",
    onLineOnly: true,
  },
] as const satisfies readonly Setting[];
