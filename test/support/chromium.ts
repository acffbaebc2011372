// Debian's Chromium, driven by its own protocol (DevTools) over a WebSocket: the one in $NORTHGATE_CHROMIUM, the installed one, or
// a private copy of the one without a window, which scripts/fetch-chromium.sh fetches. Without one it says SKIPPED and answers null; under
// CI=true it throws. A browser belongs to one test file, with a profile of its own that goes with it.

import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import { patience } from "./patience.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const copy = join(repository, ".cache", "chromium-headless-shell");

/** An absolute path; null when there is none and that is allowed. Fetches it the first time: 120 MB. */
export function chromiumOrSkip(): string | null {
  const named = process.env["NORTHGATE_CHROMIUM"];
  const installed = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
  const found = [named, ...installed, join(copy, "bin", "chromium")].find(
    (path) => path !== undefined && isProgram(path),
  );
  if (found !== undefined) return found;
  const { status, stderr } = spawnSync("bash", [join(repository, "scripts", "fetch-chromium.sh"), copy], {
    encoding: "utf8",
    timeout: patience(600_000),
  });
  if (status === 0) return join(copy, "bin", "chromium");
  const reason = stderr.trim().split("\n").at(-1) ?? "it could not be fetched";
  if (process.env["CI"] === "true") throw new Error(`no Chromium: ${reason}`);
  process.stderr.write(`SKIPPED: the page in a browser: ${reason}\n`);
  return null;
}

type Json = Readonly<Record<string, unknown>>;

/** What came for a page: a method of the protocol with its parameters. */
export interface Event {
  readonly method: string;
  readonly params: Json;
}

export class Browser {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (value: Json) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<string, (event: Event) => void>();
  #ids = 0;

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.#receive(JSON.parse(String(data)) as Json);
    });
  }

  static async start(program: string): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), "northgate-chromium-"));
    const flags = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
    // Nothing of its own over the network; root has no sandbox.
    const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
    const machine = ["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
    const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const child = spawn(program, [...flags, ...quiet, ...machine, ...root, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const address = await addressOf(child);
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    return new Browser(child, profile, socket);
  }

  /** A tab of its own, which is empty. */
  async open(): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, String(sessionId), String(targetId));
    this.#listeners.set(String(sessionId), (event) => {
      page.events.push(event);
    });
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await page.send(`${domain}.enable`);
    return page;
  }

  send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#socket.close();
    this.#child.kill("SIGKILL");
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #receive(message: Json): void {
    const { id, error, result, sessionId, method, params } = message;
    if (typeof id !== "number") {
      this.#listeners.get(String(sessionId))?.({ method: String(method), params: (params ?? {}) as Json });
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve((result ?? {}) as Json);
    else waiting?.reject(new Error(JSON.stringify(error)));
  }
}

/** One tab. */
export class Page {
  /** All that the browser has told of it so far. */
  readonly events: Event[] = [];
  readonly #browser: Browser;
  readonly #session: string;
  readonly #target: string;

  constructor(browser: Browser, session: string, target: string) {
    this.#browser = browser;
    this.#session = session;
    this.#target = target;
  }

  send(method: string, params: Json = {}): Promise<Json> {
    return this.#browser.send(method, params, this.#session);
  }

  /** Resolves when the view is drawn, with everything that comes later. */
  async go(url: string): Promise<void> {
    await this.load(url);
    await this.settled();
  }

  /** Resolves when a page without scripts is there. */
  async load(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
    await this.until(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
  }

  /** The view of the present address is there. */
  settled(): Promise<void> {
    return this.until(
      `document.querySelector("main")?.getAttribute("aria-busy") === "false" && !document.querySelector("[data-pending]")`,
    );
  }

  /** The value of an expression in the page; a promise is awaited. Throws what it throws. */
  async run<T>(expression: string): Promise<T> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", params);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  /** Waits until the expression is true. */
  async until(expression: string): Promise<void> {
    const end = performance.now() + patience(15_000);
    // The page itself asks again and again: a question from here costs three processes as much. A navigation ends the asking.
    const asking = `(async () => {
      for (let times = 0; times < 40; times++) {
        try {
          if (${expression}) return true;
        } catch {}
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      return false;
    })()`;
    while (!(await this.run<boolean>(asking).catch(() => false))) {
      if (performance.now() > end) throw new Error(`never true: ${expression}; ${await this.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  text(): Promise<string> {
    return this.run<string>("document.body.innerText");
  }

  /** Keys by their names: "Tab", "ArrowDown", "Enter"; or text to type. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const known = keyCodes[key];
      if (known === undefined) await this.send("Input.insertText", { text: key });
      else {
        const event = {
          key,
          code: key,
          windowsVirtualKeyCode: known,
          ...(key === "Enter" ? { text: "\r" } : {}),
        };
        await this.send("Input.dispatchKeyEvent", { ...event, type: "keyDown" });
        await this.send("Input.dispatchKeyEvent", { ...event, type: "keyUp" });
      }
    }
  }

  async look(width: number, height: number, scheme: "light" | "dark", scale = 1): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      ...{ width, height, deviceScaleFactor: scale, mobile: false },
    });
    await this.send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: "reduce" },
      ],
    });
  }

  /** A PNG of what can be seen. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(String(data), "base64");
  }

  async close(): Promise<void> {
    await this.#browser.send("Target.closeTarget", { targetId: this.#target });
  }
}

const keyCodes: Readonly<Record<string, number>> = {
  ...{ Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, ArrowLeft: 37, ArrowRight: 39, End: 35 },
};

/** Where it listens, as it says itself. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`Chromium does not start: ${said}`));
    }, patience(30_000));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once("exit", () => {
      clearTimeout(timer);
      reject(new Error(`Chromium has ended: ${said}`));
    });
  });
}
