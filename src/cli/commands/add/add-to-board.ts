import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { findFiles } from '../../../load/load-config.ts';
import { editSection, type SectionChange } from '../../../load/yaml/edit-section.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { makeFolder } from '../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { hasRoots, rootsNote } from '../../shared/board/change-board.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import type { CommandAnswer } from '../../shared/command.ts';
import { formatPackBoard, placeSchema, schemaPath } from '../../shared/board/starter-config.ts';
import type { AddPlan, AddTarget } from './add-source.ts';

/** Writes the plans, to a new board if there is none, and describes what was added. */
export function addToBoard(plans: readonly AddPlan[], target: AddTarget, context: CliContext): CommandAnswer {
  const written = applyPlans(plans, target, context);
  const notes = [...plans.flatMap((plan) => plan.notes), ...noteRoots(plans, target, context)];
  const { shown } = target;
  return {
    data: { board: shown, added: plans.map(({ summary }) => summary), written, notes },
    view: [
      ...plans.map(({ summary }) => `On ${shown}: ${summary}.`),
      written.length === 0 ? 'Already up to date.' : `Wrote ${written.join(', ')}. Next: pegboard list`,
    ],
    notes: ({ yellow }) => notes.map((note) => `${yellow('note')} ${note}`),
  };
}

/** Writes the plans and returns the files that changed, as shown to people. */
function applyPlans(
  plans: readonly AddPlan[],
  { folder, shown }: AddTarget,
  { cwd }: Pick<CliContext, 'cwd'>,
): string[] {
  const written: string[] = [];
  const write = (path: string, text: string): void => {
    makeFolder(dirname(path));
    writeFileSync(path, text);
    written.push(relative(cwd, path));
  };
  const board = resolve(cwd, shown);
  const isNew = !existsSync(board);
  const changes = plans.flatMap((plan) => plan.changes);
  const sections = [...new Set(changes.map(({ section }) => section))];
  const keepsPaths = !plans.some(isSilentAboutPaths);
  const before = isNew
    ? formatPackBoard(basename(folder) || 'board', { schema: schemaPath(folder), sections, hasRoots: keepsPaths })
    : readFileSync(board, 'utf8');
  for (const { path, text } of plans.flatMap(({ files }) => files)) write(join(folder, path), text);
  let text = before;
  for (const change of changes) text = imports(text, board, change) ? text : editSection(text, shown, change);
  if (isNew) written.push(...placeSchema(folder, cwd));
  if (isNew || text !== before) write(board, text);
  return written;
}

/** Returns true when a change only imports files that the board already imports by name, folder or glob. */
function imports(text: string, board: string, change: SectionChange): boolean {
  if (change.section !== 'import' || !('append' in change)) return false;
  const folder = dirname(board);
  const { value } = readYaml(Buffer.from(text), board);
  const patterns = isPlainObject(value) ? [value['import'] ?? []].flat() : [];
  const files = new Set(patterns.flatMap((pattern) => (typeof pattern === 'string' ? findFiles(pattern, folder) : [])));
  return change.append.every((path) => typeof path === 'string' && files.has(join(folder, path)));
}

/** Notes about paths: packs declare theirs, but only a policy with roots uses that, and it refuses tools without a declaration. */
function noteRoots(plans: readonly AddPlan[], { shown }: AddTarget, { cwd }: CliContext): string[] {
  if (hasRoots(readFileSync(resolve(cwd, shown), 'utf8'), shown)) {
    return plans.filter(isSilentAboutPaths).map(({ summary }) => rootsNote(summary, shown));
  }
  return [
    `${shown} has no policy.roots, so tools accept any path. To limit them to this folder: policy: { roots: [.] }`,
  ];
}

/** Returns true when a plan adds a server, code or requests whose paths are unknown. */
function isSilentAboutPaths(plan: AddPlan): boolean {
  return plan.isSilentAboutPaths === true || plan.files.some(({ text }) => silentTools(text) > 0);
}

/** Counts the http tools in a generated file that do not declare their path arguments. */
function silentTools(text: string): number {
  const { value } = readYaml(Buffer.from(text), 'tools.yaml');
  const tools: unknown[] = isPlainObject(value) && Array.isArray(value['tools']) ? value['tools'] : [];
  return tools.filter((tool) => isPlainObject(tool) && tool['type'] === 'http' && tool['paths'] === undefined).length;
}
