import { flag, listOption, valueOption } from '../../../cli/shared/command.ts';
import { resolve } from 'node:path';
import type { IndexProgress, IndexReport } from '../../../knowledge/indexing/index-report.ts';
import {
  createSourcePaths,
  type IndexedPaths,
  readIndexedPaths,
  rememberIndexedPaths,
} from '../../../knowledge/indexing/run-scope.ts';
import type { SourcesReport } from '../../../knowledge/sources/index-sources.ts';
import { readScopes } from '../../../knowledge/sources/source.ts';
import { checkDocumentType } from '../../../knowledge/collection/note.ts';
import type { KnowledgeCollection } from '../../../knowledge/collection/knowledge-collection.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { describeStopped } from './describe-report.ts';
import { createProgressBar } from './progress-bar.ts';
import type { OpenedKnowledge } from './use-knowledge.ts';

const SPACE = 'rag-index';
const SOURCES_SPACE = 'rag-sources';

interface IndexValues {
  readonly type: string | undefined;
  readonly tag: readonly string[];
  readonly hidden: boolean;
  readonly exclude: readonly string[];
}

export const PATHS_ARGUMENT = {
  name: 'PATH',
  description: 'Files, folders or patterns (default: everything indexed before, and the sources of the config)',
  multiple: true,
} as const;

export const INDEX_OPTIONS = {
  type: valueOption('TYPE', 'The type of the documents (default: general)'),
  tag: listOption('TAG', 'A tag for every document; may be given several times'),
  exclude: listOption('GLOB', 'Files to skip, in addition to .gitignore'),
  hidden: flag('Include files and folders whose names start with a dot'),
} as const;

interface RunRequest {
  readonly positionals: readonly string[];
  readonly values: IndexValues;
  readonly command: string;
  /** Also reads everything that was indexed before; a collection without files is allowed. */
  readonly isRebuild?: boolean;
}

/** A run to do. `canBeGone` marks paths of an earlier run, which may no longer exist. */
export interface PlannedRun extends IndexedPaths {
  readonly canBeGone: boolean;
}

/** Plans the requested run, or repeats the earlier ones. */
export async function planRuns(
  { positionals, values, command, isRebuild = false }: RunRequest,
  collection: KnowledgeCollection,
  { opened, cwd }: { readonly opened: OpenedKnowledge; readonly cwd: string },
): Promise<PlannedRun[]> {
  const before = async (): Promise<PlannedRun[]> => {
    const runs = await readIndexedPaths(opened.records().space(SPACE), collection.name);
    return runs.map((run) => ({ ...run, canBeGone: true }));
  };
  if (positionals.length === 0) {
    const runs = await before();
    if (runs.length > 0) return runs;
    // Indexed by another machine or by code: only the store knows the files.
    const known = await collection.files();
    if (known.length > 0) return known.map((files) => ({ ...files, hidden: false, exclude: [], canBeGone: true }));
    if (isRebuild || collection.plan.sources.length > 0) return [];
    throw new UsageError(
      `Nothing has been indexed into "${collection.name}" yet. Name files, folders or patterns.`,
      command,
    );
  }
  if (positionals.some((path) => path.trim() === '')) {
    throw new UsageError('A path is empty. Name a file, a folder ("." for this one) or a pattern.', command);
  }
  const address = positionals.find((path) => /^(?:https?|ssh|git):\/\//i.test(path));
  if (address !== undefined) {
    const what = address.endsWith('.git') ? `git: ${address}` : `url: ${address}, depth: 1`;
    throw new UsageError(
      `"${address}" is an address. Add it to the config, rag: { collections: { ${collection.name}: { sources: [{ ${what} }] } } }, then run pegboard rag index.`,
      command,
    );
  }
  const names = createSourcePaths(opened.base);
  // Patterns stay as they are: resolving only removes "." and "..".
  const toSource = (path: string): string => names.toSource(resolve(cwd, path));
  const run: PlannedRun = {
    paths: positionals.map((path) => (resolve(cwd, path) === opened.base ? '.' : toSource(path))),
    type: checkDocumentType(values.type ?? 'general'),
    tags: values.tag,
    hidden: values.hidden,
    // A glob without a folder matches that name anywhere.
    exclude: values.exclude.map((glob) => (/^[^!*].*\//.test(glob) ? toSource(glob) : glob)),
    canBeGone: false,
  };
  return isRebuild ? [...(await before()).filter((other) => !isSamePaths(other, run)), run] : [run];
}

interface RunHost {
  readonly opened: OpenedKnowledge;
  readonly context: CliContext;
  /** Called with each folder before it is read. */
  readonly onFolder?: (folder: string) => void;
}

/** Executes the runs with a progress bar, remembers them and sums up their reports. */
export async function runIndex(
  runs: readonly PlannedRun[],
  collection: Pick<KnowledgeCollection, 'name' | 'index'>,
  { opened, context, onFolder }: RunHost,
): Promise<IndexReport> {
  const reports: IndexReport[] = [];
  const space = opened.records().space(SPACE);
  // A run replaces an earlier one with the same paths, and comes last.
  const isDoneNow = ({ paths }: IndexedPaths): boolean => runs.some((run) => isSamePaths(run, { paths }));
  const others = (await readIndexedPaths(space, collection.name)).filter((source) => !isDoneNow(source));
  const remember = (run: PlannedRun): Promise<void> => {
    const { canBeGone: _, ...source } = run;
    return rememberIndexedPaths(space, collection.name, source);
  };
  for (const [place, run] of runs.entries()) {
    const bar = createProgressBar(context);
    let last: IndexProgress | undefined;
    let remembered: Promise<void> | undefined;
    try {
      const { paths, ...marks } = run;
      const report = await collection.index(paths, {
        ...marks,
        type: checkDocumentType(marks.type),
        cwd: opened.base,
        others: { before: [...others, ...runs.slice(0, place)], after: runs.slice(place + 1) },
        signal: context.signal,
        onFolder,
        onProgress: (progress) => {
          // Remembered from the first file on, so that a killed run can be repeated without its paths.
          if (last === undefined) remembered = remember(run);
          last = progress;
          bar.update(progress);
        },
      });
      reports.push(report);
    } catch (error) {
      bar.end();
      if (last !== undefined) {
        const left = { remaining: last.remaining ?? 0, files: last.total };
        const style = createStyle(context.stderr, context.env);
        printLine(context.stderr, describeStopped(left, style, 'finish' in collection));
      }
      throw error;
    } finally {
      bar.end();
      await remembered;
    }
    await remember(run);
    if (context.signal.aborted) break;
  }
  const notBegun = runs.slice(reports.length).flatMap(({ paths }) => paths);
  const note = notBegun.length === 0 ? [] : [`Not started: ${notBegun.join(', ')}.`];
  const sum = addReports(reports);
  return { ...sum, notes: [...sum.notes, ...note] };
}

/** Updates a collection from its sources, with a progress bar; `undefined` if it has none. */
export async function runSources(
  collection: Pick<KnowledgeCollection, 'name' | 'indexSources'>,
  { opened, context, hasSources }: RunHost & { readonly hasSources: boolean },
): Promise<SourcesReport | undefined> {
  const records = opened.records().space(SOURCES_SPACE);
  // Earlier sources may be gone from the config.
  if (!hasSources && (await readScopes(records, collection.name)).length === 0) return undefined;
  const bar = createProgressBar(context);
  try {
    return await collection.indexSources({
      records,
      signal: context.signal,
      onProgress: (progress) => bar.update(progress),
    });
  } finally {
    bar.end();
  }
}

function isSamePaths(a: Pick<IndexedPaths, 'paths'>, b: Pick<IndexedPaths, 'paths'>): boolean {
  return JSON.stringify(a.paths) === JSON.stringify(b.paths);
}

export async function forgetRuns(collection: string, opened: OpenedKnowledge): Promise<void> {
  await opened.records().space(SPACE).delete(collection);
}

export function addReports(reports: readonly IndexReport[]): IndexReport {
  const sum = (
    key: 'files' | 'indexed' | 'unchanged' | 'removed' | 'chunks' | 'bytes' | 'durationMs' | 'remaining',
  ): number => reports.reduce((total, report) => total + report[key], 0);
  return {
    files: sum('files'),
    indexed: sum('indexed'),
    unchanged: sum('unchanged'),
    removed: sum('removed'),
    chunks: sum('chunks'),
    bytes: sum('bytes'),
    skipped: reports.flatMap(({ skipped }) => skipped),
    failures: reports.flatMap(({ failures = [] }) => failures),
    notes: [...new Set(reports.flatMap(({ notes }) => notes))],
    isStopped: reports.some(({ isStopped }) => isStopped),
    remaining: sum('remaining'),
    durationMs: sum('durationMs'),
  };
}
