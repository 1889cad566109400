import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Machine } from './describe-machine.ts';
import type { BenchReport } from './report.ts';

/** The measured version, its commit, and the day. */
export interface Stamp {
  readonly version: string;
  readonly commit: string;
  readonly date: string;
}

/** A benchmark's figures. The stamp is there only when another run than that of the whole file measured them. */
export type StoredReport = Omit<BenchReport, 'name'> & { readonly measured?: Stamp };

/** `bench/results.json`: every figure that the pages show. */
export interface BenchResults extends Stamp {
  /** The command of the run that measured all reports without a stamp of their own. */
  readonly command: string;
  readonly machine: Machine;
  readonly reports: Readonly<Record<string, StoredReport>>;
}

/** A finished run of the benchmarks. */
export interface BenchRun extends Omit<BenchResults, 'reports'> {
  readonly reports: readonly BenchReport[];
  /** True when all benchmarks ran that README and docs/benchmarks.md show. */
  readonly isWhole: boolean;
}

/** Reads `bench/results.json`. */
export function readResults(root: string): BenchResults | undefined {
  const file = `${root}/bench/results.json`;
  // Only `writeResults` makes this file.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchResults) : undefined;
}

/** Writes `bench/results.json`. */
export function writeResults(root: string, results: BenchResults): void {
  writeFileSync(`${root}/bench/results.json`, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Says what is measured now. The commit ends in "+" when code was changed after it. */
export function readStamp(root: string): Stamp {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string };
  const changed = git('status', '--porcelain', '--', 'src', 'wasm', 'scripts', 'bench/*.ts') === '' ? '' : '+';
  return {
    version,
    commit: `${git('rev-parse', '--short=12', 'HEAD')}${changed}`,
    date: new Date().toISOString().slice(0, 10),
  };
}

/**
 * Puts the reports of a run in the place of older ones.
 *
 * A whole run gives the file its stamp. Reports that the run did not measure keep theirs, so no figure changes its version.
 */
export function mergeResults(before: BenchResults | undefined, { reports, isWhole, ...run }: BenchRun): BenchResults {
  const { version, commit, date, command, machine } = before === undefined || isWhole ? run : before;
  const head = { version, commit, date, command, machine };
  const older = Object.entries(before?.reports ?? {}).map(([name, report]) => [name, stampOf(report, before)] as const);
  const newer = reports.map(({ name, ...report }) => [name, stampOf(report, run)] as const);
  const all = Object.fromEntries([...older, ...newer]);
  return { ...head, reports: all };

  function stampOf(report: StoredReport, from: Stamp | undefined): StoredReport {
    const { measured = from, ...figures } = report;
    const isOfHead = measured?.commit === commit && measured.version === version && measured.date === date;
    if (measured === undefined || isOfHead) return figures;
    return { ...figures, measured: { version: measured.version, commit: measured.commit, date: measured.date } };
  }
}
