import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import type { CodeLimits } from '../../code/code-limits.ts';
import { isPlainObject } from '../../tool/json.ts';
import { defineKind, loadOnce } from '../define-kind.ts';
import { toObjectSchema } from '../run/commands-settings.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import type { ProgramSettings } from './program-tool.ts';

const withTool = loadOnce(() => import('./program-tool.ts'));

/** `type: program`: a program that calls tools of the board, as a tool. */
export const program = defineKind({
  type: 'program',
  schema: KIND_SCHEMAS.program,
  isSound: true,
  paths: ['file'],
  readsMore: true,
  read: (written): ProgramSettings => ({
    file: String(written['file']),
    // Validated by the schema.
    tools: written['tools'] as readonly string[] | undefined,
    limits: (written['limits'] ?? {}) as Partial<CodeLimits>,
    schema: toObjectSchema(isPlainObject(written['schema']) ? written['schema'] : {}),
  }),
  check: ({ settings }) => withTool(({ checkFile }) => checkFile(settings)),
  tools: (entry, host) => withTool(({ programTool }) => programTool(entry, host)),
  // Its arguments only go into calls of tools, whose paths are checked there.
  pathArguments: ({ paths = [] }, { cwd }) => ({ names: paths, folders: () => [cwd] }),
  ownFiles: ({ settings }) => [settings.file],
  describe: ({ settings: { file, tools } }) => [
    ['program', file],
    ...(tools === undefined ? [] : [['calls', tools.join(', ')] as const]),
  ],
  doctor: ({ settings: { file } }, { cwd }) => {
    const [status, detail] = existsSync(file) ? (['ok', 'found'] as const) : (['missing', 'is not there'] as const);
    return [{ need: 'own', kind: 'program', name: relative(cwd, file), status, detail }];
  },
});
