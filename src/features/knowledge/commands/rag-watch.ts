import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SkippedFile } from '../../../knowledge/indexing/index-report.ts';
import { printLine } from '../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION } from '../../../cli/shared/command.ts';
import { printAnswer } from '../../../cli/shared/print/print-answer.ts';
import { describeReport } from './describe-report.ts';
import { INDEX_OPTIONS, PATHS_ARGUMENT, planRuns, runIndex } from './run-index.ts';
import { COLLECTION_OPTION, pickCollection, useKnowledge } from './use-knowledge.ts';
import { watchFolders } from './watch-folders.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

export const ragWatch = defineCommand({
  name: 'rag watch',
  description: 'Indexes like "rag index", then again whenever files change, until you stop it.',
  arguments: [{ ...PATHS_ARGUMENT, description: 'Files, folders or patterns (default: what was indexed before)' }],
  options: { ...COLLECTION_OPTION, ...INDEX_OPTIONS, ...FILE_OPTION },
  examples: [['pegboard rag watch docs --collection project-docs', 'while you write']],
  run: ({ values, positionals, json, context }) =>
    useKnowledge(values.file, { context }, async (opened) => {
      const collection = pickCollection(opened.knowledge, values.collection, 'rag watch');
      const runs = await planRuns({ positionals, values, command: 'rag watch' }, collection, {
        opened,
        cwd: context.cwd,
      });
      if (runs.length === 0)
        throw new UsageError(
          `"${collection.name}" has no files to watch. Update its sources with pegboard rag index, as often as you like.`,
          'rag watch',
        );
      let isFirst = true;
      const skipped = new SkippedFiles(opened.base);
      const update = async (onFolder: (folder: string) => void): Promise<void> => {
        // Files may disappear and come back while they are watched.
        const again = isFirst ? runs : runs.map((run) => ({ ...run, canBeGone: true }));
        const report = await runIndex(again, collection, { opened, context, onFolder });
        const listed = skipped.takeNew(report.skipped);
        const isNews = isFirst || report.indexed > 0 || report.removed > 0 || listed.length > 0;
        isFirst = false;
        if (!isNews) return;
        printAnswer(describeReport(collection.name, report, { listed }), json, context);
      };
      const { signal, stderr } = context;
      const onFailure = (error: unknown): void => printLine(stderr, `error ${messageOf(error)} Trying again.`);
      const onBlind = (): void =>
        printLine(stderr, 'note The system cannot watch more folders. Checking files every 5 seconds instead.');
      const paths = runs.flatMap((run) => run.paths);
      await watchFolders(
        { paths, base: opened.base, signal, onFailure, onBlind },
        {
          first: async (onFolder) => {
            await update(onFolder);
            if (!signal.aborted) printLine(stderr, 'Watching. Press Ctrl-C to stop.');
          },
          again: update,
        },
      );
      return 0;
    }),
});

/** Remembers skipped files, so that each is listed once until it changes. */
class SkippedFiles {
  readonly #base: string;
  #known: ReadonlyMap<string, string> = new Map();

  constructor(base: string) {
    this.#base = base;
  }

  /** Returns the skipped files that are new or changed since they were listed. */
  takeNew(all: readonly SkippedFile[]): SkippedFile[] {
    const before = this.#known;
    this.#known = new Map(all.map(({ path, reason }) => [path, `${this.#changedAt(path)} ${reason}`]));
    return all.filter(({ path }) => before.get(path) !== this.#known.get(path));
  }

  #changedAt(path: string): number | undefined {
    try {
      return statSync(resolve(this.#base, path), { throwIfNoEntry: false })?.mtimeMs;
    } catch {
      // It may be inaccessible, or a link to itself.
      return undefined;
    }
  }
}
