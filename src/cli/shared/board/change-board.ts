import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChangedFile } from '../../../load/change-file.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { askYesOrNo } from '../ask/ask-person.ts';
import { canAsk, type CliContext, printLine } from '../cli-context.ts';
import { UsageError } from '../usage-error.ts';
import { tryFindConfig } from './find-config.ts';

/** Finds the config file that a command changes: the given one, the nearest, or a new pegboard.yaml in this folder. */
export function findBoardFile(files: readonly string[], command: string, context: CliContext): ChangedFile {
  if (files.length > 1) throw new UsageError('Only one file can be changed. Give --file once.', command);
  const [found = 'pegboard.yaml'] = tryFindConfig(files, context) ?? [];
  const path = resolve(context.cwd, found);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(`--file must name a file; ${found} is a folder.`, command);
  }
  const isThere = existsSync(path);
  return { shown: found, path, text: isThere ? readFileSync(path, 'utf8') : undefined };
}

/** Returns true when the policy of a config file limits paths to folders. */
export function hasRoots(text: string, shown: string): boolean {
  const value = text.trim() === '' ? {} : readYaml(Buffer.from(text), shown).value;
  const policy = isPlainObject(value) ? value['policy'] : undefined;
  return isPlainObject(policy) && policy['roots'] !== undefined;
}

/** Explains the `paths` that a board with roots needs before new tools can be called. */
export function rootsNote(what: string, shown: string): string {
  return `policy.roots of ${shown} refuses tools until their entry names the arguments that are paths. For ${what} add paths: [NAME, …], or paths: [] if there are none.`;
}

/**
 * Notes that the person at this terminal is about to write a file: the board of this machine takes it over without another question. Does
 * nothing without a person, inside a call, and while an earlier change waits, which would come with it.
 */
export async function noteOwnChange({ path }: ChangedFile, text: string, context: CliContext): Promise<void> {
  if (!canAsk(context)) return;
  const { isInsideCall } = await import('../../../platform/process/trees/process-table.ts');
  if (isInsideCall(context.env)) return;
  const { hasWaitingChange, noteConsent } = await import('../../../board/changes/board-changes.ts');
  const owner = { given: [path], cwd: context.cwd, env: context.env };
  if (!hasWaitingChange(owner)) await noteConsent(owner, 'file', text);
}

/** Asks the person at the terminal before a file is written. Skipped with `--yes`. */
export async function confirmChange(
  question: string,
  { yes, command, context }: { readonly yes: boolean; readonly command: string; readonly context: CliContext },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(context)) throw cannotAsk(command);
  const isWanted = await askYesOrNo(context, { message: question, initialValue: true });
  if (!isWanted) printLine(context.stderr, 'Nothing was written.');
  return isWanted;
}

/**
 * Runs the work that precedes writing. If the person stops the command meanwhile, the incomplete result is dropped and the error
 * says that nothing was written.
 */
export async function beforeWriting<T>({ signal }: Pick<CliContext, 'signal'>, work: () => Promise<T>): Promise<T> {
  try {
    const found = await work();
    if (!signal.aborted) return found;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new ToolError({
    code: 'cancelled',
    message: 'The command was stopped before it finished. Nothing was written.',
  });
}

/** Creates the error of a command that asks before it writes when nobody can be asked. */
export function cannotAsk(command: string): UsageError {
  const message = `"pegboard ${command}" asks before it writes, but there is no terminal to ask at. Add --yes to write without asking, or --dry-run to preview.`;
  return new UsageError(message, command);
}
