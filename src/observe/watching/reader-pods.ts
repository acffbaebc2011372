// The readers of other nodes, through the API server: kubectl runs `northgate observe --relay` in the pod of each, with the rights of
// whoever asks (create pods/exec), which the API server checks. No port is open for it.

import { execFile, spawn } from "node:child_process";
import { lastLine } from "../../lib/text/last-line.ts";
import { answersOn } from "./client.ts";
import type { AnswerLine, Question } from "./protocol.ts";

const program = "kubectl";
const selector = "app.kubernetes.io/name=northgate-observe-node";
const relay = ["/nodejs/bin/node", "/app/bin/northgate.js", "observe", "--relay"];
const answerSeconds = 30;
/** One kubectl runs for each. */
export const mostNodes = 100;
const longestError = 4_096;
/** Of a list of pods. */
const mostBytes = 64 * 1024 * 1024;

export interface NodesAsked {
  /** Of kubectl, before its command: which cluster. */
  readonly flags: readonly string[];
  /** Of the readers' pods. */
  readonly namespace: string;
  /** null: every node that has a reader. */
  readonly nodes: readonly string[] | null;
}

export interface ReaderPod {
  readonly node: string;
  readonly name: string;
}

/** The running readers of these nodes, by node. Throws an Error of one sentence. */
export async function readerPods({ flags, namespace, nodes }: NodesAsked): Promise<readonly ReaderPod[]> {
  const asked = ["--namespace", namespace, "get", "pods", "--selector", selector, "--output", "json"];
  const listed = podsIn(await printed([...flags, `--request-timeout=${answerSeconds}s`, ...asked]));
  const wanted = nodes === null ? listed : listed.filter(({ node }) => nodes.includes(node));
  const lacking = (nodes ?? []).filter((name) => !wanted.some(({ node }) => node === name));
  if (lacking.length > 0)
    throw new Error(
      `no reader runs on ${lacking.join(", ")}: no pod of ${namespace} with the label ${selector}`,
    );
  if (wanted.length === 0)
    throw new Error(`no reader runs in ${namespace}: it has no pod with the label ${selector}`);
  if (wanted.length > mostNodes)
    throw new Error(
      `${wanted.length} nodes have a reader, and ${mostNodes} can be asked at once: name them with --nodes`,
    );
  return wanted.toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/**
 * The lines of one reader, until its answer ends or `signal` does. Returns in one sentence why nothing more comes; "": the reader has
 * ended its answer.
 */
export async function* readerWatched(
  { name }: ReaderPod,
  { flags, namespace }: Pick<NodesAsked, "flags" | "namespace">,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<AnswerLine, string> {
  const args = [...flags, "--namespace", namespace, "exec", "--stdin", name, "--", ...relay];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => {
      resolve(`${program} cannot be run (${error.message})`);
    });
    child.once("close", (code) => {
      resolve(code === 0 ? "" : `exit code ${code ?? "none"}`);
    });
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-longestError);
  });
  try {
    yield* answersOn({ input: child.stdin, output: child.stdout }, question, signal);
    if (signal.aborted) return "";
    const why = await ended;
    return why === "" ? "" : lastLine(said) || why;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    // What runs in the pod ends with its input.
    child.stdin.end();
    child.kill("SIGTERM");
  }
}

/** What kubectl prints. Throws an Error of one sentence: its own last line. */
function printed(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: mostBytes }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(lastLine(stderr) || `${program} cannot be run (${error.message})`));
    });
  });
}

interface Listed {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

function podsIn(text: string): readonly ReaderPod[] {
  const { items } = JSON.parse(text) as { readonly items: readonly Listed[] };
  return items.flatMap(({ metadata: { name }, spec: { nodeName }, status }) =>
    nodeName === undefined || status?.phase !== "Running" ? [] : [{ node: nodeName, name }],
  );
}
