import type { ApprovalAnswer, ApprovalRequest } from '../../tool/calls/approval.ts';

/** The terminal, pipes or files of the process that gives a command line to a board. */
export interface CallerStreams {
  /** True for each stream that is a terminal. */
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** True when stdin is a pipe or a file. */
  readonly isPiped: boolean;
  /** The width of the terminal; `undefined` without one. */
  readonly columns: number | undefined;
}

/** A command line that a board runs for another process. */
export interface CommandLine {
  readonly args: readonly string[];
  /** Its working folder. */
  readonly folder: string;
  readonly pid: number;
  readonly streams: CallerStreams;
  /** The variables that commands use themselves; `null` for those that are not set. */
  readonly env: Readonly<Record<string, string | null>>;
}

/** The parts of an approval request that are data. */
export type AskedApproval = Omit<ApprovalRequest, 'context' | 'signal'>;

/** A message of a board to the process whose command line it runs. */
export type BoardMessage =
  /** The command has ended. */
  | { readonly type: 'exit'; readonly code: number }
  /** The command reads stdin, cannot take more for now, or needs no more. `peek` asks for a `peeked`. */
  | { readonly type: 'input'; readonly flow: 'start' | 'pause' | 'stop' | 'peek' }
  /** Answers a signal. `taken`: the command uses it and goes on. `asked`: it ends by itself. `stopped`: it was cancelled. */
  | { readonly type: 'heard'; readonly as: 'taken' | 'asked' | 'stopped' }
  /** Asks the person at the terminal about calls, together if there are several. */
  | { readonly type: 'ask'; readonly id: number; readonly requests: readonly AskedApproval[] }
  /** A question that needs no answer any more. */
  | { readonly type: 'withdraw'; readonly id: number };

/** A message to the board that runs a command line. */
export type CallerMessage =
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly type: 'inputEnd' }
  | { readonly type: 'peeked'; readonly hasInput: boolean }
  /** The reader of stdout is gone, or the terminal was closed. */
  | { readonly type: 'closed' }
  | { readonly type: 'resize'; readonly columns: number }
  | { readonly type: 'answer'; readonly id: number; readonly answers: readonly ApprovalAnswer[] };
