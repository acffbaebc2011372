// The one process of a pod, in the pod's network namespace: it serves and asks with sockets of the kernel, so that no probe
// costs a start. Takes a line "<id> <verb> <words>" and answers "<id> <word>", in any order; ends when its input does.
// Knows nothing of policies; silence of the other end is the word "drop".

import { execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

type Verb = (id: string, ...words: readonly string[]) => Promise<string>;

/** Of protocols that Node has no sockets for. */
const raw = fileURLToPath(new URL("raw-sockets.pl", import.meta.url));
const udpResendMs = 250;

/** By the id of the request that opened them. */
const connections = new Map<string, Socket>();

const verbs: Readonly<Record<string, Verb>> = {
  /** protocol, address, port: whatever comes is sent back. */
  listen: async (_, protocol = "", address = "", port = "") => {
    if (protocol === "tcp") return listenTcp(address, Number(port));
    if (protocol === "udp") return listenUdp(address, Number(port));
    const child = spawn("perl", [raw, "listen", protocol, address, port], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    return new Promise((resolve, reject) => {
      child.stdout.once("data", () => {
        resolve("ok");
      });
      child.once("exit", reject);
    });
  },

  /** protocol, address, port, patience, and of tcp and udp the own address, if one is meant: allow, drop, or the error's name. */
  probe: async (id, protocol = "", address = "", port = "", patience = "", own = "") => {
    if (protocol === "udp") return probeUdp(address, Number(port), Number(patience), own);
    if (protocol !== "tcp") return probeRaw(protocol, address, port, patience, own);
    const answer = await open(id, address, Number(port), Number(patience), own);
    connections.get(id)?.destroy();
    connections.delete(id);
    return answer;
  },

  /** address, port, patience: as probe of tcp, and the connection stays. */
  open: (id, address = "", port = "", patience = "") => open(id, address, Number(port), Number(patience)),

  /** id of the connection, patience: "answered" when what is sent comes back, otherwise "silence". */
  exchange: (id, connection = "", patience = "") => exchange(id, connection, Number(patience)),

  /** How many TCP segments the kernel of this pod has sent again. */
  resent: () => Promise.resolve(retransmitted()),
};

function listenTcp(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.pipe(socket);
    })
      .once("error", reject)
      .listen({ host, port }, () => {
        resolve("ok");
      });
  });
}

function listenUdp(address: string, port: number): Promise<string> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (message, from) => {
    socket.send(message, from.port, from.address);
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject).bind(port, address, () => {
      resolve("ok");
    });
  });
}

/** What comes first: the answer, or the end of the patience, which is "drop". */
function within(patience: number, act: (answer: (word: string) => void) => void): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve("drop");
    }, patience);
    act((word) => {
      clearTimeout(timer);
      resolve(word);
    });
  });
}

async function open(id: string, host: string, port: number, patience: number, own = ""): Promise<string> {
  const socket = connect({ host, port, noDelay: true, ...(own === "" ? {} : { localAddress: own }) });
  connections.set(id, socket);
  const word = await within(patience, (answer) => {
    socket.on("connect", () => {
      answer("allow");
    });
    socket.on("error", (error) => {
      answer(errorName(error));
    });
  });
  if (word !== "allow") socket.destroy();
  return word;
}

async function probeUdp(address: string, port: number, patience: number, own: string): Promise<string> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  let again: NodeJS.Timeout | undefined;
  const word = await within(patience, (answer) => {
    socket.on("error", (error) => {
      answer(errorName(error));
    });
    socket.on("message", () => {
      answer("allow");
    });
    const ask = (): void => {
      socket.connect(port, address, () => {
        socket.send("ping");
        again = setInterval(() => {
          socket.send("ping");
        }, udpResendMs);
      });
    };
    if (own === "") ask();
    else socket.bind({ address: own }, ask);
  });
  clearInterval(again);
  socket.close();
  return word;
}

function probeRaw(...words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile("perl", [raw, "probe", ...words], (error, stdout) => {
      resolve(error === null ? stdout.trim() : errorName(error));
    });
  });
}

async function exchange(id: string, connection: string, patience: number): Promise<string> {
  const socket = connections.get(connection);
  if (socket === undefined) return "no-such-connection";
  let heard = "";
  const word = await within(patience, (answer) => {
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(`<${id}>`)) answer("answered");
    });
    socket.write(`<${id}>`);
  });
  socket.removeAllListeners("data");
  return word === "drop" ? "silence" : word;
}

function retransmitted(): string {
  const [names = [], values = []] = readFileSync("/proc/self/net/snmp", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("Tcp:"))
    .map((line) => line.split(" "));
  return values[names.indexOf("RetransSegs")] ?? "unknown";
}

function errorName(error: Error): string {
  return "code" in error ? String(error.code) : error.message.replaceAll(/\s+/g, "-");
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [id = "", verb = "", ...words] = line.split(" ");
    const act = verbs[verb] ?? (() => Promise.resolve("no-such-verb"));
    void act(id, ...words)
      .catch((error: unknown) => (error instanceof Error ? errorName(error) : String(error)))
      .then((word) => process.stdout.write(`${id} ${word}\n`));
  })
  .on("close", () => {
    process.exit();
  });
process.stdout.write("ready\n");
