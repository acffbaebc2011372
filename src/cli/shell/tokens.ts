// The words of a command line as flags with their values and other words, by the table of settings. Wrong words are left to the parser.

import type { CommandName } from "../../config/setting.ts";
import { settingsOf } from "../../config/settings.ts";

export interface Token {
  /** Without dashes; null: no flag. */
  readonly flag: string | null;
  /** null: it has none. Of a flag at the end of the line that takes one: none yet. */
  readonly value: string | null;
}

/** Beside those of the table: kubectl's. */
const shorts: Readonly<Record<string, string>> = {
  ...{ n: "namespace", A: "all-namespaces", o: "output", f: "filename", k: "kustomize", h: "help" },
};

/** `-n X`, `-nX`, `-n=X`, `--namespace X`, `--namespace=X` are the same. */
export function tokensOf(command: CommandName, args: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < args.length; at++) {
    const text = args[at] ?? "";
    const { flag, rest } = flagIn(text);
    if (flag === null) tokens.push({ flag: null, value: text });
    else if (rest !== "") tokens.push({ flag, value: rest });
    else if (takesValue(command, flag)) tokens.push({ flag, value: args[++at] ?? null });
    else tokens.push({ flag, value: null });
  }
  return tokens;
}

/** `flag` null: the word is none; `rest` is what stands behind it in the same word. */
export function flagIn(text: string): { readonly flag: string | null; readonly rest: string } {
  const [, long, short, rest] = /^(?:--([^=]+)|-(\w))(?:=?([^]*))?$/.exec(text) ?? [];
  return {
    flag: long ?? (short === undefined ? null : (shorts[short] ?? short)),
    rest: rest ?? "",
  };
}

export function takesValue(command: CommandName, flag: string): boolean {
  if (flag === "namespace" || flag === "config") return true;
  return settingsOf(command).some((one) => one.flag === flag && one.argument !== null);
}
