/** Memory that a kernel and its caller share. */
export interface KernelMemory {
  /** Another one after the memory has grown. */
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of WebAssembly that is used here; the types of the standard library have it for browsers only. */
interface WebAssemblyApi {
  readonly Memory: new (options: { readonly initial: number }) => KernelMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** Bytes in a page of memory. */
export const PAGE = 65_536;

/** Makes memory of at least so many bytes. */
export function createMemory(bytes: number): KernelMemory {
  return new (readApi().Memory)({ initial: Math.ceil(bytes / PAGE) });
}

/** Starts a kernel that scripts/generate-wasm.ts compiled. `T` is what its source exports. */
export function openKernel<T>(base64: string, memory: KernelMemory): T {
  const { Module, Instance } = readApi();
  const module = new Module(Buffer.from(base64, 'base64'));
  // The caller names the functions of the very source this was compiled from.
  return new Instance(module, { env: { memory } }).exports as T;
}

/** Compiles a module beside other work; threads of this process can be given it. */
export function compileModule(bytes: Uint8Array): Promise<object> {
  return readApi().compile(bytes);
}

function readApi(): WebAssemblyApi {
  // Every supported version of Node has it.
  return Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi;
}
