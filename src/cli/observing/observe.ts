// `northgate observe`: what the reader of this node, or readers of others, see of connections, each with the rule that has judged it.
// Reads only.

import { once } from "node:events";
import type { Command } from "commander";
import type { ObserveConfig } from "../../config/answers/observe.ts";
import { readObserveConfig } from "../../config/answers/observe.ts";
import { visibleJson } from "../../model/quote.ts";
import type { SeenEvent } from "../../observe/decode/event.ts";
import { askedToEnd, endThoughUnread } from "../ends.ts";
import { declareFlags, precedence } from "../flags.ts";
import { showsColours } from "../print/colours.ts";
import { formatData } from "../print/data.ts";
import { eventText } from "../print/event-text.ts";
import { printError } from "../print/print-error.ts";
import type { EventLine, Line } from "./lines.ts";
import { linesAsked, sentenceOf } from "./lines.ts";
import { recorded } from "./recorded.ts";
import { relay } from "./relay.ts";

export function addObserve(program: Command): void {
  const command = program
    .command("observe")
    .summary("show the connections of this node as they come, with the rule that allows or drops each")
    .description(
      "Shows connections of this node's pods: when, from which pod to which, and the rule that has allowed, dropped, rejected or passed " +
        "them. It asks northgate observe-node on this node, and needs the rows of northgate run --observe samples. Packets are " +
        "sampled only while a program follows (--follow), and for a minute after. Some samples may be lost under load: for numbers use the counts " +
        "of observe-node. Answers, traffic of the host's network, and packets that no rule judges are not seen. With --nodes it asks the readers " +
        "of a cluster's nodes: kubectl runs it in their pods, with your rights (create pods/exec).",
    );
  const given = declareFlags(command, "observe");
  command
    .addHelpText(
      "after",
      `\n${precedence}` +
        "Exit codes: 0 done or ended by a signal, 1 a reader does not answer or the file of --record cannot be written, 2 wrong usage.\n\n" +
        "Examples:\n" +
        "  northgate observe --follow\n" +
        "  northgate observe --follow --verdict dropped --pod shop/web\n" +
        "  northgate observe --since 5m --policy deny-db -o ndjson\n" +
        "  kubectl northgate observe --nodes all --follow --verdict dropped\n" +
        "  kubectl northgate observe --nodes all --follow --record flows.json\n" +
        "  northgate observe --follow --record flows.json   # until Ctrl-C; then northgate plan -f policies/ --flows flows.json\n",
    )
    .action(async () => {
      const config = readObserveConfig(given());
      process.exitCode = await answer(config);
    });
}

/** What `observe --record` does: a file at the end, and a line of what is in it. */
async function record(config: ObserveConfig, file: string): Promise<number> {
  const ending = new AbortController();
  if (config.question.follow)
    void askedToEnd().then(() => {
      ending.abort();
    });
  let code = 0;
  const failed = (line: Exclude<Line, EventLine>): void => {
    printError(sentenceOf(line));
    code = 1;
  };
  try {
    const { connections, missed } = await recorded(() => linesAsked(config, ending.signal), file, failed);
    const { lost, undirected, beyondLimit } = missed;
    printError(
      `${file}: ${connections.length} distinct connections; not in it: ${lost} events that were lost, ` +
        `${undirected} of which the client is not known, ${beyondLimit} beyond the limit`,
    );
    return code;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  }
}

async function answer(config: ObserveConfig): Promise<number> {
  if (config.isRelay) return relay(config.socket);
  return config.record === null ? observe(config) : record(config, config.record);
}

async function observe(config: ObserveConfig): Promise<number> {
  const { question, output } = config;
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  // What is not followed ends by itself, and a signal ends it as any other command.
  if (question.follow) void askedToEnd().then(end);
  process.stdout.once("error", end);
  const kept: ShownEvent[] = [];
  let code = 0;
  try {
    const { lines } = await linesAsked(config, ending.signal);
    for await (const line of lines) {
      if ("event" in line) await show(line, { output, kept, signal: ending.signal });
      else printError(sentenceOf(line));
      if ("failed" in line) code = 1;
    }
    if (output === "json") process.stdout.write(formatData(kept, "json"));
    if (ending.signal.aborted) endThoughUnread();
    return code;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    printError(error.message);
    return 1;
  }
}

type ShownEvent = SeenEvent & { readonly node?: string };

interface Shown {
  readonly output: ObserveConfig["output"];
  /** Of `json`, which is one list. */
  readonly kept: ShownEvent[];
  readonly signal: AbortSignal;
}

/** Waits for what reads the output, so that nothing piles up here: what the reader of a node then cannot send, it counts. */
async function show({ event, node }: EventLine, { output, kept, signal }: Shown): Promise<void> {
  const shown = node === undefined ? event : { node, ...event };
  if (output === "json") {
    kept.push(shown);
    return;
  }
  const text =
    output === "ndjson" ? `${visibleJson(JSON.stringify(shown))}\n` : eventText(event, showsColours(), node);
  if (process.stdout.write(text) || signal.aborted) return;
  await once(process.stdout, "drain", { signal }).catch(() => undefined);
}
