import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { type Board, openBoard, ToolError } from '../../src/index.ts';
import { createAsk, isScriptFile } from '../../src/import/command-line/ask-command.ts';
import { type CliImport, importCli, type ImportCliOptions } from '../../src/import/command-line/import-cli.ts';
import { fishFolders } from '../../src/import/command-line/read-page.ts';
import { manFolders } from '../../src/import/command-line/man/find-man-page.ts';
import { lineBuilder } from '../../src/kinds/cli/line-builder.ts';
import { escapeVariables } from '../../src/tool/texts/escape-variables.ts';

/** A board with the tools of a command that is installed here. */
export interface ImportedBoard extends CliImport {
  readonly board: Board;
  /** The folder in which its commands run. */
  readonly folder: string;
  /** The command line that a call would run, quoted as in a shell. */
  lineOf(tool: string, input?: Record<string, unknown>): Promise<string>;
  /** Of these calls, those that a policy with the folder as its only root would refuse. */
  refused(calls: readonly RootedCall[]): Promise<RootedCall[]>;
  /** Of these calls, those that the policy of a new board would let run unasked. */
  unasked(calls: readonly RootedCall[]): Promise<RootedCall[]>;
  /** The first five tools that a search finds. */
  find(query: string): string[];
  close(): Promise<void>;
}

/** A tool and what it is called with. */
export type RootedCall = readonly [tool: string, input: Record<string, unknown>];

/** Imports a command as `pegboard import cli` does, and opens a board with what it wrote. */
export async function importBoard(command: readonly string[], options: ImportCliOptions = {}): Promise<ImportedBoard> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-import-')));
  const ask = createAsk({ env: process.env, cwd: folder, signal: new AbortController().signal, timeout: 60_000 });
  const folders = { manual: manFolders(process.env), fish: fishFolders(process.env) };
  const isScript = command[0]?.includes('/') === true && isScriptFile(command[0]);
  const imported = await importCli(command, ask, {
    ...folders,
    isScript,
    buildLine: lineBuilder,
    timeLimit: 600_000,
    ...options,
  });
  const file = join(folder, 'tools.yaml');
  const config = { name: 'imported', discovery: { tools: true }, tools: imported.tools.map(escapeVariables) };
  writeFileSync(file, dump(config, { noRefs: true }));
  const board = await openBoard({ files: file, cwd: folder });
  return {
    ...imported,
    board,
    folder,
    async lineOf(tool, input = {}) {
      const [step] = (await board.dryRun(tool, input)).steps;
      if (step?.type !== 'command') throw new Error(`"${tool}" runs no command.`);
      return step.argv.map(quote).join(' ');
    },
    async unasked(calls) {
      const policy = { roots: [folder], approval: { global: 'destructive' } } as const;
      const strict = await openBoard({ files: file, policy });
      try {
        const verdicts = await Promise.all(
          calls.map(async ([tool, input]) => (await strict.dryRun(tool, input)).verdict),
        );
        return calls.filter((_, index) => verdicts[index] === undefined);
      } finally {
        await strict.close();
      }
    },
    async refused(calls) {
      const rooted = await openBoard({ files: file, policy: { roots: [folder] } });
      try {
        const isRefused = async ([tool, input]: RootedCall): Promise<boolean> => {
          try {
            return (await rooted.dryRun(tool, input)).verdict?.type === 'refused';
          } catch (error) {
            // The patterns of imported arguments refuse some of it already.
            if (error instanceof ToolError && error.code === 'invalid_arguments') return true;
            throw error;
          }
        };
        const refused = await Promise.all(calls.map(isRefused));
        return calls.filter((_, index) => refused[index]);
      } finally {
        await rooted.close();
      }
    },
    find: (query) => board.search(query, { limit: 5 }).map(({ metadata }) => metadata.name),
    async close() {
      await board.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function quote(word: string): string {
  const [, flag, value] = /^(--?[\w-]+=)(.*)$/s.exec(word) ?? [];
  if (flag !== undefined && value !== undefined) return `${flag}${value === '' ? '' : quote(value)}`;
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
