// A number with its noun, for messages.

/** With commas between thousands. */
export function numberText(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 pod", "7 pods"; "1 policy", "7 policies" with the plural given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
