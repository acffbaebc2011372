// XML 1.0, as far as reports need it: elements with attributes and text. Text is escaped, and characters that XML 1.0 does not have
// are left out.

/** `inside`: elements, or a text that is escaped already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: readonly string[],
): string {
  const said = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return inside.length === 0
    ? `<${name}${said.join("")}/>`
    : `<${name}${said.join("")}>${inside.join(inside.length > 1 ? "\n" : "")}</${name}>`;
}

export const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n';

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities.get(character) ?? "")
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
