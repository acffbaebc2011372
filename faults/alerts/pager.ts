// Takes alerts from a Prometheus as an Alertmanager does (POST /api/v2/alerts), and keeps what people would be told: a page for
// each time that an alert began to fire, with its labels, and when it ended. Prometheus repeats itself; a page is one all the same.

import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

export interface Page {
  readonly alert: string;
  /** With the reason or the instance, as JSON. */
  readonly labels: string;
  readonly summary: string;
  /** When it began, as Prometheus says it. */
  readonly startsAt: string;
  readonly isResolved: boolean;
}

interface Posted {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

export class Pager {
  readonly #server: Server;
  readonly #pages = new Map<string, Page>();
  /** Pages that are over for good: Prometheus says the end of each again, for a quarter of an hour. */
  readonly #forgotten = new Set<string>();

  private constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then((body) => {
        for (const posted of JSON.parse(body) as readonly Posted[]) this.#take(posted);
        response.end();
      });
    });
  }

  static async open(): Promise<Pager> {
    const pager = new Pager();
    await new Promise<void>((resolve) => pager.#server.listen(0, "127.0.0.1", resolve));
    return pager;
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All so far, in the order in which they came. */
  get pages(): readonly Page[] {
    return [...this.#pages.values()];
  }

  /** Pages from now on are as if there had been none before. */
  forget(): void {
    for (const key of this.#pages.keys()) this.#forgotten.add(key);
    this.#pages.clear();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take({ labels, annotations, startsAt, endsAt }: Posted): void {
    const { alertname = "" } = labels;
    const shown = JSON.stringify({ ...labels, alertname: undefined, severity: undefined });
    // The end of one that fires is when it would have to be said again, and lies ahead.
    const isResolved = Date.parse(endsAt) <= Date.now();
    const key = `${alertname} ${shown} ${startsAt}`;
    if (this.#forgotten.has(key)) return;
    const page = { alert: alertname, labels: shown, summary: annotations["summary"] ?? "", startsAt };
    this.#pages.set(key, { ...page, isResolved });
  }
}
