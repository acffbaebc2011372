// A number with its noun, for messages.

/** "1 pod", "7 pods"; "1 policy", "7 policies" with the plural given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
