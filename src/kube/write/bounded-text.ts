// Text for a field of the API that has a limit. Counted in bytes, because servers count bytes or characters and a text
// is never longer in characters. Its result is well-formed: a server would store half a character as another one.

const ellipsis = "...";

export function boundedText(text: string, bytes: number): string {
  const whole = text.toWellFormed();
  if (Buffer.byteLength(whole) <= bytes) return whole;
  // Takes whole characters only.
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(bytes - ellipsis.length));
  return whole.slice(0, read) + ellipsis;
}
