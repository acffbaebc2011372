// Text for a field of the API that has a limit. Counts bytes: servers count bytes or characters, and a text never has
// more characters than bytes. The result is well-formed: a server would replace half a character.

const ellipsis = "...";

export function boundedText(text: string, bytes: number): string {
  const whole = text.toWellFormed();
  if (Buffer.byteLength(whole) <= bytes) return whole;
  // Takes whole characters only.
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(bytes - ellipsis.length));
  return whole.slice(0, read) + ellipsis;
}
