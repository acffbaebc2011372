// How the tour speaks: headings, sentences, commands with their real output. Colours only on a terminal.

const colourful = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
const paint = (code: string) => (text: string) => (colourful ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = paint("1");
const dim = paint("2");
const cyan = paint("36");
const green = paint("32");
const red = paint("31");

let chapter = 0;

export const voice = {
  chapter(title: string): void {
    chapter++;
    process.stdout.write(`\n${bold(`${chapter}. ${title}`)}\n`);
  },
  say(...sentences: readonly string[]): void {
    for (const sentence of sentences) process.stdout.write(`   ${sentence}\n`);
  },
  command(line: string): void {
    process.stdout.write(`\n   ${cyan(`$ ${line}`)}\n`);
  },
  output(text: string): void {
    for (const line of text.trimEnd().split("\n")) process.stdout.write(`   ${dim("|")} ${line}\n`);
  },
  verdict(question: string, verdict: "allow" | "drop", because: string): void {
    const word = verdict === "allow" ? green("allowed") : red("dropped");
    process.stdout.write(`   ${question.padEnd(58)} ${word}  ${dim(because)}\n`);
  },
};
