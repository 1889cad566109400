/** Memory that a kernel and its caller share. */
export interface KernelMemory {
  /** A new buffer after the memory has grown. */
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of WebAssembly used here. The standard library types it only for browsers. */
interface WebAssemblyApi {
  readonly Memory: new (options: { readonly initial: number }) => KernelMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** Bytes per page of memory. */
export const PAGE = 65_536;

/** Creates memory of at least `bytes` bytes. */
export function createMemory(bytes: number): KernelMemory {
  return new (readApi().Memory)({ initial: Math.ceil(bytes / PAGE) });
}

/** Starts a kernel compiled by scripts/generate-wasm.ts. `T` lists the exports of its source. */
export function openKernel<T>(base64: string, memory: KernelMemory): T {
  const { Module, Instance } = readApi();
  const module = new Module(Buffer.from(base64, 'base64'));
  // The caller names the functions of the source this was compiled from.
  return new Instance(module, { env: { memory } }).exports as T;
}

/** Compiles a module in the background. Threads of this process can receive it. */
export function compileModule(bytes: Uint8Array): Promise<object> {
  return readApi().compile(bytes);
}

function readApi(): WebAssemblyApi {
  // Every supported version of Node has it.
  return Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi;
}
