import { dirname, join, resolve } from 'node:path';
import type { BoardPlaces } from '../../guard/policy/board-places.ts';
import type { KindHost } from '../../kinds/kind.ts';
import { stateFolder } from '../../load/data-folder.ts';
import type { LoadedConfig } from '../../load/load-config.ts';

/** The parts of a board that decide which places tools keep away from. */
interface PlaceParts {
  readonly config: LoadedConfig;
  readonly host: KindHost;
  /** Files and folders of features. */
  readonly ownFiles: readonly string[];
  readonly outputFolder: string;
  readonly cwd: string;
}

const GLOB = /[*?{[]/;

/** Finds the folders that a board keeps things in, and the files that it is made of. */
export function findPlaces({ config, host, ownFiles, outputFolder, cwd }: PlaceParts): BoardPlaces {
  const files = config.files.filter(({ isInline }) => !isInline);
  const asked = [
    ...config.given.map((pattern) => ({ pattern, folder: cwd })),
    ...files.flatMap(({ file, imports }) =>
      imports.map(({ pattern }) => ({ pattern, folder: dirname(resolve(cwd, file)) })),
    ),
  ];
  const own = [
    ...files.map(({ file }) => resolve(cwd, file)),
    ...ownFiles,
    ...config.files.flatMap(({ plugins }) =>
      plugins.flatMap(({ name, folder }) => (/^[./~]/.test(name) ? [resolve(folder, name)] : [])),
    ),
    ...config.files.flatMap(({ entries }) => entries.flatMap((entry) => entry.kind.ownFiles?.(entry, host) ?? [])),
  ];
  return {
    closed: [...new Set([host.data, stateFolder(host.env), outputFolder])],
    own: [...new Set(own)],
    imported: asked.flatMap(({ pattern, folder }) => importFolder(pattern, folder) ?? []),
  };
}

/** The folder whose config files a pattern stands for, also those that are not there yet; `undefined` for a file. */
function importFolder(pattern: string, folder: string): string | undefined {
  if (!GLOB.test(pattern)) return /\.\w+$/.test(pattern) ? undefined : resolve(folder, pattern);
  const steps = pattern.split('/');
  const fixed = steps.slice(
    0,
    steps.findIndex((step) => GLOB.test(step)),
  );
  return resolve(folder, join(...fixed, '.'));
}
