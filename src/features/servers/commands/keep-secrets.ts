import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { dataFolder } from '../../../load/data-folder.ts';
import { loadFile } from '../../../load/load-file.ts';
import { changeFiles, type FileChange } from '../../../platform/store/change-files.ts';
import { prepareDataFolder, readPrivateFile } from '../../../platform/store/private-file.ts';
import type { ChangedFile } from '../../../load/change-file.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import type { HiddenSecret } from './hide-secrets.ts';
import type { WrittenServer } from './server-entry.ts';

/** Secrets to be stored as private files in the board's data folder. */
export interface KeptSecrets {
  /** Replaces the variables in an entry with references to the files. */
  refer(entry: WrittenServer): WrittenServer;
  /** Writes the files and others, or nothing. */
  write(others?: readonly FileChange[]): void;
}

/** Plans files for secrets in the data folder of a config file, referenced as `${file:…/secrets/NAME}`. */
export function keepSecrets(
  file: ChangedFile,
  secrets: readonly HiddenSecret[],
  { env, cwd }: CliContext,
): KeptSecrets {
  const home = dirname(file.path);
  const loaded = loadFile(Buffer.from(file.text ?? 'name: new\n'), file.path, { env, cwd, folder: home, mode: 'look' });
  const data = dataFolder([loaded], { data: undefined, env, cwd });
  const folder = join(data, 'secrets');
  const kept = secrets.map(({ variable, value }) => ({ variable, value, path: freePath(folder, variable, value) }));
  const reference = new Map(
    kept.map(({ variable, path }) => {
      const near = relative(home, path);
      return [`\${${variable}}`, `\${file:${near.startsWith('..') ? path : near.replaceAll('\\', '/')}}`] as const;
    }),
  );
  const fill = (text: string): string =>
    [...reference].reduce((filled, [variable, path]) => filled.replaceAll(variable, () => path), text);
  return {
    refer: (entry) => mapTexts(entry, fill),
    write(others = []) {
      if (kept.length > 0) prepareDataFolder(data);
      const fresh = kept.filter(({ path }) => !existsSync(path));
      changeFiles([...fresh.map(({ path, value }) => ({ path, before: undefined, after: `${value}\n` })), ...others]);
    },
  };
}

/** Returns the path of a new file, or of one with the same secret. */
function freePath(folder: string, name: string, value: string): string {
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${name}-${count}`);
    const before = readPrivateFile(path);
    if (before === undefined || before === `${value}\n`) return path;
  }
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  // Only texts change, so the shape stays.
  return JSON.parse(JSON.stringify(value), (_, item: unknown) => (typeof item === 'string' ? change(item) : item)) as T;
}
