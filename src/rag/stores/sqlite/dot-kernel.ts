import { DOT_KERNEL } from './dot-kernel.generated.ts';

const PAGE = 65_536;

/** What is used of WebAssembly: TypeScript only has its types together with those of browsers. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (descriptor: { initial: number }) => WasmMemory;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Computes dot products of one query with many rows of signed bytes, in memory that it shares. */
export interface DotKernel {
  readonly memory: WasmMemory;
  /** Offsets in bytes; `stride` is a multiple of 16. */
  dots(place: { query: number; rows: number; stride: number; count: number; out: number }): void;
  /** Makes the memory at least this large. Views of `memory.buffer` have to be made anew. */
  reserve(bytes: number): void;
}

let compiled: object | undefined;

/** Starts a kernel with memory of its own. */
export function createDotKernel(): DotKernel {
  // Every Node has it; see WebAssemblyApi.
  const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  compiled ??= new Module(Buffer.from(DOT_KERNEL, 'base64'));
  const memory = new Memory({ initial: 1 });
  const { dots } = new Instance(compiled, { env: { memory } }).exports;
  if (typeof dots !== 'function') throw new Error('The vector kernel has no function "dots".');
  return {
    memory,
    dots: ({ query, rows, stride, count, out }) => void dots(query, rows, stride, count, out),
    reserve(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      // A quarter more than asked for: growing copies nothing, but every view has to be made anew.
      if (missing > 0) memory.grow(Math.ceil((missing + bytes / 4) / PAGE));
    },
  };
}
