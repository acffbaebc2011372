// `kubectl northgate …`: kubectl's habits in words of northgate's. `pod/NAME` with `-n` or the context's namespace, `-A`, and
// `-o wide`. Only the commands that read: what writes to a database or a cluster has no place in a plugin. Refuses the others.

import { lacksNamespace } from "../../analysis/end-query.ts";
import type { CommandName } from "../../config/setting.ts";
import { UsageError } from "../../config/values.ts";
import { completeWord } from "./completion-scripts.ts";
import type { Token } from "./tokens.ts";
import { tokensOf } from "./tokens.ts";

/** The commands of the plugin. */
export const offered = [
  "explain",
  "can",
  "matrix",
  "get",
  "plan",
  "lint",
  "observe",
  "ui",
] as const satisfies readonly CommandName[];
type Offered = (typeof offered)[number];

/** The namespace of the kubeconfig's context: asked only where a name has none. */
export type ContextNamespace = (asked: {
  readonly kubeconfig: string | null;
  readonly context: string | null;
}) => Promise<string>;

export interface Translated {
  readonly args: readonly string[];
  /** For standard error; null: nothing. */
  readonly note: string | null;
}

/** The arguments behind `kubectl northgate`. Throws UsageError. */
export async function fromKubectl(args: readonly string[], ask: ContextNamespace): Promise<Translated> {
  const [word = "help", ...rest] = args;
  if (word === "help") return { args: ["--help"], note: null };
  if (word.startsWith("-") || word === completeWord) return { args, note: null };
  const command = offered.find((one) => one === word);
  if (command === undefined)
    throw new UsageError(
      `${JSON.stringify(word)} is not ${offered.join(", ")}: what writes is northgate's own, not the plugin's`,
    );
  const tokens = tokensOf(command, rest);
  const said = (flag: string) => tokens.findLast((token) => token.flag === flag)?.value ?? null;
  const given = said("namespace");
  let isUsed = false;
  const namespace = async (): Promise<string> => {
    isUsed = true;
    return given ?? (await ask({ kubeconfig: said("kubeconfig"), context: said("context") }));
  };
  const out: string[] = [];
  for (const token of tokens) out.push(...(await flagOf(token, command, namespace)));
  const words = tokens.flatMap(({ flag, value }) => (flag === null ? [value ?? ""] : []));
  const named = command === "get" ? await podOf(words, namespace) : words;
  const isIdle = given !== null && !showsNamespace(command) && !isUsed;
  // A user of kubectl is on no node.
  const isNowhere = command === "observe" && said("nodes") === null && said("socket") === null;
  return {
    args: [command, ...(isNowhere ? ["--nodes=all"] : []), ...out, ...named],
    note: isIdle
      ? "--namespace is for pods that are named without one: policies of every namespace are read"
      : null,
  };
}

/** Commands that show a namespace; of the others it is where names are looked up. */
function showsNamespace(command: Offered): boolean {
  return command === "matrix" || command === "observe";
}

/** As northgate has it; none: northgate has none. */
async function flagOf(
  { flag, value }: Token,
  command: Offered,
  namespace: () => Promise<string>,
): Promise<readonly string[]> {
  switch (flag) {
    case "namespace":
      return showsNamespace(command) ? [`--namespace=${value ?? ""}`] : [];
    case null:
    case "all-namespaces":
      return [];
    case "from":
    case "to":
      return [`--${flag}=${await endOf(value ?? "", namespace)}`];
    case "output":
      return [`--output=${value === "wide" && command !== "get" ? "table" : (value ?? "")}`];
    default:
      return [value === null ? `--${flag}` : `--${flag}=${value}`];
  }
}

const podWords: readonly string[] = ["pod", "pods", "po"];

/** `pod/NAME` and other names of a kind; what has its namespace, and addresses, stay. */
async function endOf(text: string, namespace: () => Promise<string>): Promise<string> {
  if (!lacksNamespace(text)) return text;
  const [word = "", name = ""] = text.split("/");
  return podWords.includes(word) ? `${await namespace()}/${name}` : `${await namespace()}/${text}`;
}

/** `pod/NAME`, `pod NAME` and `pod NAMESPACE/NAME`. */
async function podOf(words: readonly string[], namespace: () => Promise<string>): Promise<readonly string[]> {
  const [first = "", second, ...rest] = words;
  const slash = first.indexOf("/");
  const word = slash < 0 ? first : first.slice(0, slash);
  if (!podWords.includes(word)) return words;
  const name = slash < 0 ? second : first.slice(slash + 1);
  const others = slash < 0 ? rest : words.slice(1);
  if (name === undefined) return ["pod"];
  return ["pod", name.includes("/") ? name : `${await namespace()}/${name}`, ...others];
}
