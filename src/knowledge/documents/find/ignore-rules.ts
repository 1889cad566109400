import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The ignore files that hold for a folder, the nearest last. */
export interface IgnoreRules {
  /** Whether a path below the folder is left out; absolute, folders end in `/`. */
  ignores(path: string, isFolder: boolean): boolean;
  /** The rules of a folder below: these and its own. */
  enter(folder: string): IgnoreRules;
}

interface Layer {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The rules for a folder, with those of the folders above it up to the top of its repository. */
export function readIgnoreRules(folder: string, isRepositoryTop: (folder: string) => boolean): IgnoreRules {
  const folders = [folder];
  while (!isRepositoryTop(folders[0] ?? folder)) {
    const above = dirname(folders[0] ?? folder);
    // No repository at all: only the folder's own files hold.
    if (above === folders[0]) return toRules(readLayer(folder));
    folders.unshift(above);
  }
  return toRules(folders.flatMap(readLayer));
}

function toRules(layers: readonly Layer[]): IgnoreRules {
  return {
    ignores: (path, isFolder) => {
      let isIgnored = false;
      for (const { folder, rules } of layers) {
        const inside = relative(folder, path).split(sep).join('/');
        const { ignored, unignored } = rules.test(isFolder ? `${inside}/` : inside);
        // The nearest file that says anything decides.
        if (ignored) isIgnored = true;
        else if (unignored) isIgnored = false;
      }
      return isIgnored;
    },
    enter: (folder) => {
      const own = readLayer(folder);
      return own.length === 0 ? toRules(layers) : toRules([...layers, ...own]);
    },
  };
}

function readLayer(folder: string): Layer[] {
  try {
    return [{ folder, rules: ignore().add(readFileSync(join(folder, '.gitignore'), 'utf8')) }];
  } catch {
    return [];
  }
}
