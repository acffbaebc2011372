// A time of day as the API writes it (metav1.Time): whole seconds, in UTC.

export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
