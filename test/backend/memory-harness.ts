// The in-memory backend under the contract.

import type { Backend } from "../../src/policy/contracts/backend.ts";
import type { Harness } from "./harness.ts";
import { MemoryBackend } from "./memory-backend.ts";
import { judgeByStore } from "./memory-judge.ts";
import { MemoryStore } from "./memory-store.ts";

export function memoryHarness(): Harness {
  const store = new MemoryStore();
  let running: MemoryBackend | null = null;
  let writtenBefore = 0;
  const end = () => {
    running?.stop();
    running = null;
    writtenBefore = store.written;
  };
  return {
    connect: async () => {
      end();
      store.reconnect();
    },
    backend: (options): Backend => {
      running = new MemoryBackend({ store, ...options });
      return running;
    },
    refuses: new Set(),
    snapshot: async () => ({
      state: store.state(),
      fresh: store.state(),
      foreign: JSON.stringify(store.foreign),
      judge: (connection) => judgeByStore(store, connection),
    }),
    written: () => store.written - writtenBefore,
    plantForeign: async () => {
      store.foreign.push("a rule of somebody else");
    },
    block: async ({ key }) => {
      store.blocked.add(key);
    },
    unblock: async ({ key }) => {
      store.blocked.delete(key);
    },
    cut: () => {
      store.cut();
    },
    restore: () => {
      store.restore();
    },
    loseNextAnswer: () => {
      store.loseNextAnswer();
    },
    clear: async () => {
      end();
      store.clear();
    },
    dispose: async () => {
      end();
    },
  };
}
