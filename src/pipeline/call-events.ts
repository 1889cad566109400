import type { ToolLog } from '../tool/tool-context.ts';

/** How far a call has come. */
export interface CallProgress {
  readonly callId: string;
  readonly tool: string;
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** A line that a tool logged. */
export interface CallLogEntry {
  readonly callId: string;
  readonly tool: string;
  readonly level: keyof ToolLog;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
