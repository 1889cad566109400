import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadFile } from '../../../load/load-file.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { counted } from '../../print/columns.ts';
import { formatMade, type MadeConfig } from '../import/write-yaml.ts';
import type { AddPlan, AddTarget } from './add-source.ts';

const FOLDER = 'tools';

/** Where files with tools that were made lie. */
export function madeFolder({ folder }: Pick<AddTarget, 'folder'>): string {
  return join(folder, FOLDER);
}

/** The plan for tools that were made: a file of their own, which the board imports. */
export function planMadeFile(made: MadeConfig, what: string, { folder, replace }: AddTarget): AddPlan {
  const { data, notes } = made;
  if (data.tools.length === 0) {
    throw new ToolError({ code: 'execution_failed', message: `No tool could be made of ${what}. ${notes.join(' ')}` });
  }
  const path = `${FOLDER}/${fileName(data.name)}.yaml`;
  const text = formatMade(made);
  const file = join(folder, path);
  const fault = loadFile(Buffer.from(text), path, { env: {}, folder: dirname(file), cwd: folder }).diagnostics.find(
    ({ severity }) => severity === 'error',
  );
  if (fault !== undefined) {
    const hint = [...notes, 'Make the file yourself with pegboard import, correct it, then add it.'].join(' ');
    const message = `The tools that were made of ${what} are not valid: ${fault.message} ${hint}`;
    throw new ToolError({ code: 'invalid_config', message });
  }
  const isThere = existsSync(file);
  if (isThere && !replace && readFileSync(file, 'utf8') !== text) {
    const message = `${path} is there already and differs from what would be written. Add --replace to write it anew.`;
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

function fileName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[.-]+|-+$/g, '') || 'tools';
}
