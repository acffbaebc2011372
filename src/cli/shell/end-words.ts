// What may be meant by the beginning of an end: `sh` → `shop/`, `shop/` → its pods, `shop/*` and `shop/deploy/`, `shop/svc/` → its
// Services. One step at a time, so that a cluster is asked for the namespaces, or for what is in one of them, and never for all its pods.

import { kindOfWord, kindWords, wordOf } from "../../analysis/end-query.ts";
import { isDnsSubdomain } from "../../model/syntax.ts";
import type { NamesOfNamespace, WorldNames } from "./world-names.ts";

/**
 * Words that begin with what is typed, sorted, each once. One that ends with a slash goes on.
 * @param home the namespace of names that have none.
 */
export async function endWords(typed: string, names: WorldNames, home: string): Promise<readonly string[]> {
  const [first = "", second, third] = typed.split("/");
  if (second === undefined)
    return beginning(typed, [
      ...(await names.namespaces()).filter(isDnsSubdomain).map((name) => `${name}/`),
      ...kindWords.map(({ word }) => `${word}/`),
      "internet",
    ]);
  const kind = kindOfWord(first);
  if (third !== undefined) return beginning(typed, ofKind(`${first}/`, second, await names.in(first)));
  if (kind === "node")
    return beginning(
      typed,
      (await names.nodes()).map((name) => `${first}/${name}`),
    );
  if (kind !== null) return beginning(typed, ofKind("", first, await names.in(home)));
  return beginning(typed, inNamespace(first, await names.in(first)));
}

/** `NAMESPACE/POD` alone. */
export async function podWords(typed: string, names: WorldNames): Promise<readonly string[]> {
  const [first = "", second] = typed.split("/");
  if (second === undefined)
    return beginning(
      typed,
      (await names.namespaces()).map((name) => `${name}/`),
    );
  return beginning(
    typed,
    (await names.in(first)).pods.map((name) => `${first}/${name}`),
  );
}

function inNamespace(namespace: string, { pods, services, workloads }: NamesOfNamespace): readonly string[] {
  if (pods.length + services.length + workloads.length === 0) return [];
  const words = [...(services.length > 0 ? ["svc"] : []), ...workloads.map(({ word }) => word)];
  return [
    ...pods.map((name) => `${namespace}/${name}`),
    ...words.map((word) => `${namespace}/${word}/`),
    `${namespace}/*`,
  ];
}

/** `before`: the namespace with its slash, or nothing. `typed`: the word of the kind, as it was typed. */
function ofKind(before: string, typed: string, names: NamesOfNamespace): readonly string[] {
  const kind = kindOfWord(typed);
  if (kind === null || kind === "node") return [];
  const word = typeof kind === "string" ? kind : wordOf(kind);
  const found =
    kind === "pod"
      ? names.pods
      : kind === "service"
        ? names.services
        : names.workloads.filter((one) => one.word === word).map(({ name }) => name);
  return found.map((name) => `${before}${typed}/${name}`);
}

/** Names of manifests may be any text; a shell is given only those that a cluster would take. */
export function beginning(typed: string, words: readonly string[]): readonly string[] {
  const plain = words.filter((word) => word.startsWith(typed) && /^[\w./*:@+-]+$/.test(word));
  return [...new Set(plain)].sort();
}
