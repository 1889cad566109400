import type { Readable, Writable } from 'node:stream';
import type { CallMark } from '../trees/call-mark.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The child's exact environment. */
  readonly env: Readonly<Record<string, string>>;
  /** True when the child gets a pipe as standard input, which is otherwise empty. */
  readonly hasStdin: boolean;
  /** The mark that all its descendants inherit. The environment already contains it. */
  readonly mark: CallMark;
}

export type ChildExit =
  | { readonly type: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** The process that started it has ended, and the exit code is lost. */
  | { readonly type: 'lost'; readonly message: string };

/** A running child that leads its own process group. */
export interface SpawnedChild {
  readonly type: 'started';
  readonly pid: number;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exit: Promise<ChildExit>;
}

export interface SpawnError {
  readonly type: 'error';
  /** An error code such as `ENOENT`. */
  readonly code: string;
  readonly message: string;
}

/** Converts an error that `spawn` threw or emitted. */
export function toSpawnError(error: unknown): SpawnError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { type: 'error', code, message: messageOf(error) };
}

/** The code when the helper ended before it reported the start of a child. */
export const HELPER_GONE = 'HELPER_GONE';
