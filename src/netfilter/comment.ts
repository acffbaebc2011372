// The comment of a rule, for people. No other part of a rule contains text of a user, so it is limited to letters, digits and the
// signs `_ . / -`; every other character is replaced by `?`.

/** iptables cuts longer comments and reports nothing. */
const longest = 255;

/** An option of a rule. The first word is shortened where all words together are too long. */
export function commentText([first = "", ...others]: readonly string[]): string {
  const rest = others
    .map((word) => ` ${safe(word)}`)
    .join("")
    .slice(0, longest);
  return `-m comment --comment "${safe(first).slice(0, longest - rest.length)}${rest}"`;
}

function safe(text: string): string {
  return text.replaceAll(/[^\w./-]/g, "?");
}
