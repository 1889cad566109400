import type { CodeLimits } from '../code-limits.ts';

/** A program that was checked, and what decides how it runs. */
export interface Program {
  readonly id: string;
  /** JavaScript. */
  readonly code: string;
  /** The value of `input`, as JSON. */
  readonly input: string;
  readonly seed: number;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly limits: CodeLimits;
}
