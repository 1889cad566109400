import type { Readable, Writable } from 'node:stream';
import type { CallMark } from '../trees/call-mark.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** What a spawner needs to know to start a child. */
export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The child's environment, exactly. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the child gets a pipe as standard input; it is empty otherwise. */
  readonly hasStdin: boolean;
  /** What everything it starts inherits; the environment has it already. */
  readonly mark: CallMark;
}

/** How a started child ended. */
export type ChildExit =
  | { readonly type: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** The process that started it is gone, and its exit code with it. */
  | { readonly type: 'lost'; readonly message: string };

/** A child that runs, leading a process group of its own. */
export interface SpawnedChild {
  readonly type: 'started';
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exit: Promise<ChildExit>;
}

/** The system's refusal to start a child. */
export interface SpawnError {
  readonly type: 'error';
  /** Such as `ENOENT`. */
  readonly code: string;
  readonly message: string;
}

/** Turns what `spawn` threw or emitted into data. */
export function toSpawnError(error: unknown): SpawnError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { type: 'error', code, message: messageOf(error) };
}

/** The code of a spawn error when the helper ended before it told whether the child was started. */
export const HELPER_GONE = 'HELPER_GONE';
