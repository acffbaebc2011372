/** What a program said last: of several lines of errors, the one that says why it ended. "": nothing. */
export function lastLine(text: string): string {
  const [last = ""] = text.trim().split("\n").slice(-1);
  return last;
}
