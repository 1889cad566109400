import type { Bar, Table } from '../report.ts';

/** The findings of one part of a benchmark. */
export interface BenchPart {
  readonly table: Table;
  readonly bars: readonly Bar[];
}
