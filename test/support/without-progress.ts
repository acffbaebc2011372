// What a command printed on standard error, without its progress: that is printed only where the command takes longer than two seconds,
// as on a busy machine.

/** As src/cli/print/progress.ts writes it. */
const progress = /^northgate: \d+ of \d+ (connections|kinds of ends are compared)\n/gm;

export function withoutProgress(text: string): string {
  return text.replace(progress, "");
}
