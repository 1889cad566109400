import { chmodSync, existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { dump } from 'js-yaml';
import { loadFile } from '../../load/load-file.ts';
import { editSection, type SectionChange } from '../../load/yaml/edit-section.ts';
import { readYaml } from '../../load/yaml/read-yaml.ts';
import { writePrivateFile } from '../../platform/store/private-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { askYesOrNo } from '../ask/ask-person.ts';
import { canAsk, type CliContext, printLine } from '../cli-context.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { tryFindConfig } from './find-config.ts';

/** The one config file that a command changes. */
export interface BoardFile {
  /** As messages name it. */
  readonly shown: string;
  readonly path: string;
  /** What it holds; `undefined` where the command will make it. */
  readonly text: string | undefined;
}

/** A change of a config file that is ready to be written. */
export interface PlannedChange {
  readonly file: BoardFile;
  readonly text: string;
  /** Writes it, whole or not at all. Throws when the file was changed meanwhile. */
  write(): void;
}

/** The config file that a command changes: the one that is named, the nearest, or a new pegboard.yaml in this folder. */
export function findBoardFile(files: readonly string[], command: string, context: CliContext): BoardFile {
  if (files.length > 1) throw new UsageError('Only one file can be changed: give --file once.', command);
  const [found = 'pegboard.yaml'] = tryFindConfig(files, context) ?? [];
  const path = resolve(context.cwd, found);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(`--file must name a file; ${found} is a folder.`, command);
  }
  const isThere = existsSync(path);
  return { shown: found, path, text: isThere ? readFileSync(path, 'utf8') : undefined };
}

/** Plans changes of a config file. Throws `invalid_config` for one that would make the file wrong. */
export function planChange(
  file: BoardFile,
  changes: readonly SectionChange[],
  { env, cwd }: Pick<CliContext, 'env' | 'cwd'>,
): PlannedChange {
  const start = file.text ?? dump({ name: basename(dirname(file.path)) || 'board' });
  const text = changes.reduce((before, change) => editSection(before, file.shown, change), start);
  const faults = (content: string): string[] =>
    loadFile(Buffer.from(content), file.shown, { env, cwd, folder: dirname(file.path) })
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  const known = new Set(file.text === undefined ? [] : faults(file.text));
  const fault = faults(text).find((message) => !known.has(message));
  if (fault !== undefined) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${file.shown} would not be valid with that, so it stays as it is: ${fault}`,
    });
  }
  return { file, text, write: () => write(file, text) };
}

function write({ shown, path, text: before }: BoardFile, text: string): void {
  if (before === undefined) {
    writeFileSync(path, text, { flag: 'wx' });
    return;
  }
  // A link stays a link.
  const real = realpathSync(path);
  if (readFileSync(real, 'utf8') !== before) {
    throw new ToolError({
      code: 'execution_failed',
      message: `${shown} was changed meanwhile and stays as it is. Run the command again.`,
    });
  }
  const { mode } = statSync(real);
  writePrivateFile(real, text);
  chmodSync(real, mode & 0o777);
}

/** Whether the policy of a config file keeps paths in folders. */
export function hasRoots(text: string, shown: string): boolean {
  const value = text.trim() === '' ? {} : readYaml(Buffer.from(text), shown).value;
  const policy = isPlainObject(value) ? value['policy'] : undefined;
  return isPlainObject(policy) && policy['roots'] !== undefined;
}

/** What a person has to write before tools can be called on a board with roots. */
export function rootsNote(what: string, shown: string): string {
  return `policy.roots of ${shown} refuses tools until their entry says which arguments are paths. For ${what} write paths: [NAME, …] there, or paths: [] when none is.`;
}

/** Asks before a file is written: the person at the terminal, unless `--yes` or `--dry-run` say it already. */
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

/** Why a command that asks before it writes does nothing where no one can be asked. */
export function cannotAsk(command: string): UsageError {
  const message = `"pegboard ${command}" asks before it writes, and no one can be asked here. Add --yes to write at once, or --dry-run to look.`;
  return new UsageError(message, command);
}
