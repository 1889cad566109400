import { resolve } from 'node:path';
import { ConfigError, type Diagnostic, formatDiagnostic } from '../../../load/diagnostics/diagnostic.ts';
import { type CliContext, printLine } from '../../shared/cli-context.ts';
import { type CommandAnswer, defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../../shared/command.ts';
import { findConfig } from '../../shared/board/find-config.ts';
import { authoredTools } from '../../shared/board/list-board.ts';
import { lookMode } from '../../shared/board/trust.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { printAnswer } from '../../shared/print/print-answer.ts';
import type { TextStyle } from '../../shared/print/style.ts';

interface Verdict {
  readonly files: readonly string[];
  readonly tools: number;
  readonly diagnostics: readonly Diagnostic[];
}

export const validate = defineCommand({
  name: 'validate',
  description: 'Checks config files and their imports, and shows every error with its place, then warnings and notes.',
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION, watch: { type: 'boolean', description: 'Check again whenever a file changes' } },
  examples: [
    ['pegboard validate', 'the config of this folder'],
    ['pegboard validate tools/*.yaml --watch', 'while you write them'],
  ],
  async run({ values, positionals, json, context }) {
    const files = findConfig([...positionals, ...values.file], context);
    if (!values.watch) return toAnswer(await judge(files, context));
    let watched: readonly string[] = [];
    const check = async (): Promise<void> => {
      const verdict = await judge(files, context);
      printAnswer(toAnswer(verdict), json, context);
      watched = verdict.files;
    };
    const { watchFiles } = await import('../../../board/watch-files.ts');
    await check();
    const stop = watchFiles(() => watched.map((file) => resolve(context.cwd, file)), check);
    printLine(context.stderr, 'Watching. Press Ctrl-C to stop.');
    await new Promise((settle) => context.signal.addEventListener('abort', settle, { once: true }));
    stop();
    return 0;
  },
});

async function judge(files: readonly string[], context: CliContext): Promise<Verdict> {
  const { cwd, env } = context;
  const { loadConfig } = await import('../../../load/load-config.ts');
  const mode = lookMode(files, context);
  const loaded = await loadConfig(files, { cwd, env, mode });
  // A file that cannot be read at all appears only in the diagnostics.
  const names = [...loaded.files, ...loaded.diagnostics].map(({ file }) => file);
  const verdict = { files: [...new Set(names)], tools: 0, diagnostics: loaded.diagnostics };
  // Files that are valid one by one may conflict, or name a script that does not load.
  const { openBoard } = await import('../../../board/open-board.ts');
  try {
    // A check must not start programs.
    const board = await openBoard(files, { cwd, env, mode, servers: 'cached', faults: 'all' });
    try {
      const { checkPrograms, checkServing, checkStoredKnowledge } = await import('./check-board.ts');
      const diagnostics = [
        ...board.diagnostics,
        ...(await checkStoredKnowledge(board)),
        ...(await checkPrograms(board.files, context)),
        ...checkServing(board),
      ];
      return { ...verdict, tools: authoredTools(board).length, diagnostics: inOrder(diagnostics) };
    } finally {
      await board.close();
    }
  } catch (error) {
    if (error instanceof ConfigError) return { ...verdict, diagnostics: inOrder(error.diagnostics) };
    throw error;
  }
}

/** Sorts diagnostics by file and line; those without a place come last. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = [...new Set(diagnostics.map(({ file }) => file))];
  const lineOf = ({ place }: Diagnostic): number => place?.line ?? Number.MAX_SAFE_INTEGER;
  const columnOf = ({ place }: Diagnostic): number => place?.column ?? 0;
  return diagnostics.toSorted(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || lineOf(a) - lineOf(b) || columnOf(a) - columnOf(b),
  );
}

function hasErrors({ diagnostics }: Verdict): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function toAnswer(verdict: Verdict): CommandAnswer {
  const isWrong = hasErrors(verdict);
  return {
    data: { ok: !isWrong, ...verdict },
    view: (style) => describeVerdict(verdict, style),
    exitCode: isWrong ? 1 : 0,
  };
}

function describeVerdict(verdict: Verdict, style: TextStyle): string[] {
  const paint = { error: style.red, warning: style.yellow, note: style.dim };
  const { diagnostics, files, tools } = verdict;
  const lines = (['note', 'warning', 'error'] as const).flatMap((severity) =>
    diagnostics
      .filter((candidate) => candidate.severity === severity)
      .map((diagnostic) => `${paint[severity](severity)} ${formatDiagnostic(diagnostic)}`),
  );
  const found = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [counted(count, severity)];
  });
  const scope = counted(files.length, 'file');
  const sum = hasErrors(verdict)
    ? `${style.red('Not valid:')} ${found.join(', ')} in ${scope}.`
    : `${style.green('Valid:')} ${[counted(tools, 'tool'), ...found].join(', ')} in ${scope}.`;
  return [...lines, sum];
}
