// Jest compiles each module again for each test file, since each has a global object of its own. Within a process the second compilation
// of a text uses what V8 kept of the first one, which spares parsing it. Nothing that runs is shared: only what follows from the text.

import vm from "node:vm";

interface Compiled {
  readonly text: string;
  readonly data: Buffer;
}

/** By the path or the URL of a module. A path has one text in a run; where it has another one, that is compiled and kept. */
const modules = new Map<string, Compiled>();
const functions = new Map<string, Compiled>();

function dataOf(kept: ReadonlyMap<string, Compiled>, name: string, text: string): Buffer | undefined {
  const compiled = kept.get(name);
  return compiled?.text === text ? compiled.data : undefined;
}

const { SourceTextModule, compileFunction } = vm;

class ModuleCompiledOnce extends SourceTextModule {
  /** Node's types lack it. */
  declare readonly createCachedData: () => Buffer;

  constructor(text: string, options: vm.SourceTextModuleOptions = {}) {
    const name = options.identifier ?? "";
    const data = dataOf(modules, name, text);
    super(text, data === undefined ? options : { ...options, cachedData: data });
    if (data === undefined) modules.set(name, { text, data: this.createCachedData() });
  }
}

const functionCompiledOnce: typeof compileFunction = (text, parameters, options = {}) => {
  const name = options.filename ?? "";
  const data = dataOf(functions, name, text);
  const compiled = compileFunction(text, parameters, {
    ...options,
    ...(data === undefined ? { produceCachedData: true } : { cachedData: data }),
  });
  if (data === undefined && compiled.cachedData !== undefined)
    functions.set(name, { text, data: compiled.cachedData });
  return compiled;
};

/** From now on, for what uses `node:vm` in this process. */
export function compileOnce(): void {
  Object.assign(vm, { SourceTextModule: ModuleCompiledOnce, compileFunction: functionCompiledOnce });
}
