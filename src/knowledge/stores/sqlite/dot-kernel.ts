import { createMemory, type KernelMemory, openKernel, PAGE } from '../../../platform/wasm/open-kernel.ts';
import { DOT_KERNEL } from './dot-kernel.generated.ts';

/** Computes dot products of one query with many rows of signed bytes, in memory that it shares. */
export interface DotKernel {
  readonly memory: KernelMemory;
  /** Offsets in bytes; `stride` is a multiple of 16. */
  dots(place: { query: number; rows: number; stride: number; count: number; out: number }): void;
  /** Makes the memory at least this large. Views of `memory.buffer` have to be made anew. */
  reserve(bytes: number): void;
}

/** What scripts/assemble-dot-kernel.ts writes into the kernel. */
interface DotExports {
  dots(query: number, rows: number, stride: number, count: number, out: number): void;
}

/** Starts a kernel with memory of its own. */
export function createDotKernel(): DotKernel {
  const memory = createMemory(PAGE);
  const kernel = openKernel<DotExports>(DOT_KERNEL, memory);
  return {
    memory,
    dots: ({ query, rows, stride, count, out }) => kernel.dots(query, rows, stride, count, out),
    reserve(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      // A quarter more than asked for: growing copies nothing, but every view has to be made anew.
      if (missing > 0) memory.grow(Math.ceil((missing + bytes / 4) / PAGE));
    },
  };
}
