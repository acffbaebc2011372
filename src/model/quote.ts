// Formats user text for messages: on one line, of bounded length, without characters that a terminal or a log reader
// could take for an instruction. No other code may put user text into a message.

const shownLength = 80;

/** Control, format (bidirectional marks, zero-width), lone surrogates, line and paragraph separators. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function escaped(text: string): string {
  return text.replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** JSON text as it was, for a machine: what is invisible is written as JSON writes it, `\u009b`. */
export function visibleJson(json: string): string {
  return json.replace(invisible, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** The text without quotes; for names and places, which are almost always harmless. */
export function printable(text: string, length = 200): string {
  return text.length > length ? `${escaped(text.slice(0, length))}...` : escaped(text);
}

/** A scalar as JSON, cut to a bounded length; for a list or an object only its type. */
export function quote(value: unknown): string {
  if (typeof value === "string") {
    const cut = value.length > shownLength;
    return escaped(JSON.stringify(cut ? value.slice(0, shownLength) : value)) + (cut ? "..." : "");
  }
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "a list" : "an object";
}
