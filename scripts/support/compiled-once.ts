// Jest compiles each module again for each test file, since each has a global object of its own. Within a process the second compilation
// of a text uses what V8 kept of the first one, which spares parsing it. Nothing that runs is shared: only what follows from the text.
// V8 rejects what it kept under other flags, which a test may set; such a text is compiled as if it were new.

import vm from "node:vm";

interface Compiled {
  readonly text: string;
  readonly data: Buffer;
}

/** By the path or the URL of a module. A path has one text in a run; where it has another one, that is compiled and kept. */
class Kept {
  readonly #compiled = new Map<string, Compiled>();

  dataOf(name: string, text: string): Buffer | undefined {
    const compiled = this.#compiled.get(name);
    return compiled?.text === text ? compiled.data : undefined;
  }

  keep(name: string, compiled: Compiled): void {
    this.#compiled.set(name, compiled);
  }

  forget(name: string): void {
    this.#compiled.delete(name);
  }
}

const modules = new Kept();
const functions = new Kept();
const { SourceTextModule, compileFunction } = vm;

/** Node's types lack it. */
interface Caching {
  createCachedData(): Buffer;
}

function moduleCompiledOnce(text: string, options: vm.SourceTextModuleOptions = {}): vm.SourceTextModule {
  const name = options.identifier ?? "";
  const cachedData = modules.dataOf(name, text);
  if (cachedData !== undefined) {
    try {
      return new SourceTextModule(text, { ...options, cachedData });
    } catch (error) {
      if (!isRejection(error)) throw error;
    }
  }
  const compiled = new SourceTextModule(text, options);
  modules.keep(name, { text, data: (compiled as unknown as Caching).createCachedData() });
  return compiled;
}

function isRejection(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_VM_MODULE_CACHED_DATA_REJECTED";
}

const functionCompiledOnce: typeof compileFunction = (text, parameters, options = {}) => {
  const name = options.filename ?? "";
  const cachedData = functions.dataOf(name, text);
  const caching = cachedData === undefined ? { produceCachedData: true } : { cachedData };
  const compiled = compileFunction(text, parameters, { ...options, ...caching });
  if (compiled.cachedDataRejected === true) functions.forget(name);
  if (compiled.cachedData !== undefined) functions.keep(name, { text, data: compiled.cachedData });
  return compiled;
};

/** From now on, for what uses `node:vm` in this process. */
export function compileOnce(): void {
  Object.assign(vm, {
    SourceTextModule: new Proxy(SourceTextModule, {
      construct: (_, [text, options]: [string, vm.SourceTextModuleOptions?]) =>
        moduleCompiledOnce(text, options),
    }),
    compileFunction: functionCompiledOnce,
  });
}
