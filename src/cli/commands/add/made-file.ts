import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadFile } from '../../../load/load-file.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { formatMade, type MadeConfig } from '../import/write-yaml.ts';
import type { AddPlan, AddTarget } from './add-source.ts';
import type { BoardTools } from './board-tools.ts';

const FOLDER = 'tools';
const MAX_NAMED = 8;

/** Returns the folder for generated files. */
export function madeFolder({ folder }: Pick<AddTarget, 'folder'>): string {
  return join(folder, FOLDER);
}

/** Plans a file for generated tools, which the board imports. Tools that the board already has are left out. */
export function planMadeFile(
  whole: MadeConfig,
  what: string,
  { folder, replace, shown, board }: AddTarget & { readonly board: BoardTools },
): AddPlan {
  if (whole.data.tools.length === 0) {
    const message = `No tool could be generated from ${what}. ${whole.notes.join(' ')}`;
    throw new ToolError({ code: 'execution_failed', message });
  }
  const path = `${FOLDER}/${fileName(whole.data.name)}.yaml`;
  const { made, known } = withoutKnown(whole, path, board);
  const { data } = made;
  if (data.tools.length === 0) {
    const message = `${shown} already has all tools of ${what}: ${known}. To replace one, remove it there and add it again.`;
    throw new ToolError({ code: 'already_exists', message });
  }
  const keeping = `Not added, because the board already has tools with these names: ${known}. To use one of ${what} instead, remove it there, then add it again with --replace.`;
  const notes = [...(known === '' ? [] : [keeping]), ...made.notes];
  const text = formatMade(made);
  const file = join(folder, path);
  const fault = loadFile(Buffer.from(text), path, { env: {}, folder: dirname(file), cwd: folder }).diagnostics.find(
    ({ severity }) => severity === 'error',
  );
  if (fault !== undefined) {
    const hint = [...notes, 'Generate the file with pegboard import, correct it, then add it.'].join(' ');
    const message = `The tools generated from ${what} are not valid: ${fault.message} ${hint}`;
    throw new ToolError({ code: 'invalid_config', message });
  }
  const isThere = existsSync(file);
  if (isThere && !replace && readFileSync(file, 'utf8') !== text) {
    const message = `${path} already exists and differs from what would be written. Add --replace to overwrite it.`;
    throw new ToolError({ code: 'already_exists', message });
  }
  return {
    summary: `${what}: ${counted(data.tools.length, 'tool')}`,
    files: [{ path, text }],
    changes: [{ section: 'import', append: [path] }],
    notes,
    asks: true,
  };
}

/** Leaves out tools that other files of the board already have, and lists those by file. */
function withoutKnown(
  made: MadeConfig,
  path: string,
  { places }: BoardTools,
): { readonly made: MadeConfig; readonly known: string } {
  const placeOf = (tool: unknown): string | undefined => {
    const place = isPlainObject(tool) ? places.get(String(tool['name'])) : undefined;
    return place === path ? undefined : place;
  };
  const known = made.data.tools.filter((tool) => placeOf(tool) !== undefined);
  const byFile = Map.groupBy(known, (tool) => placeOf(tool) ?? '');
  const shown = [...byFile].map(([file, tools]) => {
    const names = tools.map((tool) => (isPlainObject(tool) ? String(tool['name']) : ''));
    const more = names.length - MAX_NAMED;
    return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''} (${file})`;
  });
  const tools = made.data.tools.filter((tool) => placeOf(tool) === undefined);
  return { made: { ...made, data: { ...made.data, tools } }, known: shown.join('; ') };
}

function fileName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[.-]+|-+$/g, '') || 'tools';
}
