import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { defineKind } from '../define-kind.ts';
import { KIND_SCHEMAS } from '../schema.generated.ts';
import type { ScriptSettings } from './load-script.ts';

/** `type: script`: tools written in TypeScript or JavaScript, loaded without a build. */
export const script = defineKind({
  type: 'script',
  schema: KIND_SCHEMAS.script,
  isSound: true,
  paths: ['file'],
  readsMore: true,
  runsCode: true,
  optional: ['name', 'description'],
  read: (written): ScriptSettings => ({ file: String(written['file']) }),
  // Its tools have their own names.
  names: () => undefined,
  tools: async (entry) => (await import('./load-script.ts')).loadScript(entry),
  ownFiles: ({ settings }) => [settings.file],
  describe: ({ settings }) => [['script', settings.file]],
  doctor: ({ settings: { file } }, { cwd }) => {
    const isThere = existsSync(file);
    const [status, detail] = isThere ? (['ok', 'found'] as const) : (['missing', 'is not there'] as const);
    return [{ need: 'own', kind: 'script', name: relative(cwd, file), status, detail }];
  },
});
