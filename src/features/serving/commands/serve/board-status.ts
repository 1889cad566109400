import { readFileSync } from 'node:fs';
import type { Serving } from './serving.ts';
import type { FrontStatus, SharedFronts } from './shared-fronts.ts';

/** A running board as `pegboard status` shows it. */
export interface SharedBoardStatus {
  readonly name: string;
  readonly tools: number;
  /** Bytes of memory of its process. */
  readonly memory: number;
  /** The variable `PATH`, which all its commands get. */
  readonly path: string;
  readonly fronts: readonly FrontStatus[];
  readonly servers: readonly ServerRow[];
}

export interface ServerRow {
  readonly name: string;
  readonly state: string;
  readonly pid: number | undefined;
  readonly memory: number | undefined;
  readonly tools: number | undefined;
  readonly instances: number;
  readonly starts: number;
  /** Calls since the board was started. */
  readonly calls: number;
  /** The start of the last one, in milliseconds since 1970. */
  readonly calledAt: number | undefined;
  /** True while a call runs. */
  readonly isBusy: boolean;
}

/** Reads the state of a board that is shared. */
export function readBoardStatus({ board }: Serving, fronts: SharedFronts): SharedBoardStatus {
  return {
    name: board.files.at(-1)?.name ?? '',
    tools: board.registry.size,
    memory: process.memoryUsage.rss(),
    path: process.env['PATH'] ?? '',
    fronts: fronts.list(),
    servers: board.servers.map(({ name, state, pid, offered, instances, starts, calls, calledAt, isBusy }) => ({
      name,
      state,
      pid,
      memory: pid === undefined ? undefined : readMemory(pid),
      tools: offered,
      instances,
      starts,
      calls,
      calledAt,
      isBusy,
    })),
  };
}

/** Returns the bytes of memory of a process; `undefined` where the system does not say. */
function readMemory(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
