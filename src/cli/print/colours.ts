// Whether standard output is a terminal that shows colours, and nobody has asked for none.

export function showsColours(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
}
