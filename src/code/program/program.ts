import type { CodeLimits } from '../code-limits.ts';

/** A checked program with everything that determines its execution. */
export interface Program {
  readonly id: string;
  /** JavaScript. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  readonly seed: number;
  /** Start time in milliseconds since 1970. */
  readonly startedAt: number;
  readonly limits: CodeLimits;
}
