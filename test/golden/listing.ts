// Reads what `ovn-nbctl list` prints: blocks of `column : value`. Values become what JSON would hold; sets are sorted.

export interface ListedRow {
  /** external_ids:k8s.ovn.org/id. */
  readonly id: string;
  readonly columns: Readonly<Record<string, unknown>>;
}

export function parseListing(text: string): readonly ListedRow[] {
  return text.split("\n\n").map((block) => {
    const columns: Record<string, unknown> = {};
    for (const line of block.trim().split("\n")) {
      const [, name = "", value = ""] = /^(\w+)\s*: (.*)$/.exec(line) ?? [];
      columns[name] = name === "severity" && value === "[]" ? null : parseValue(value);
    }
    const ids = columns["external_ids"] as Readonly<Record<string, string>>;
    return { id: ids["k8s.ovn.org/id"] ?? "", columns };
  });
}

function parseValue(text: string): unknown {
  if (text.startsWith("{")) {
    return Object.fromEntries(
      split(text).map((pair) => {
        const [, key = "", value = ""] = /^("[^"]*"|[^=]*)=(.*)$/.exec(pair) ?? [];
        return [String(parseAtom(key)), String(parseAtom(value, false))];
      }),
    );
  }
  if (text.startsWith("["))
    return split(text)
      .map((atom) => parseAtom(atom))
      .sort();
  return parseAtom(text);
}

/** The comma-separated inside of brackets, quotes respected. */
function split(text: string): readonly string[] {
  return (
    text
      .slice(1, -1)
      .match(/(?:"[^"]*"|[^,"])+/g)
      ?.map((part) => part.trim()) ?? []
  );
}

function parseAtom(text: string, numbers = true): unknown {
  if (text.startsWith('"')) return JSON.parse(text) as unknown;
  if (text === "true" || text === "false") return text === "true";
  return numbers && /^\d+$/.test(text) ? Number(text) : text;
}
