import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The ignore files that apply to a folder, nearest last. */
export interface IgnoreRules {
  /** Returns true if an absolute path below the folder is ignored. */
  ignores(path: string, isFolder: boolean): boolean;
  /** Returns the rules of a subfolder: these and its own. */
  enter(folder: string): IgnoreRules;
}

interface Layer {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Reads the rules for a folder, including those of its parent folders up to the top of its repository. */
export function readIgnoreRules(folder: string, isRepositoryTop: (folder: string) => boolean): IgnoreRules {
  const folders = [folder];
  while (!isRepositoryTop(folders[0] ?? folder)) {
    const above = dirname(folders[0] ?? folder);
    // Outside a repository only the folder's own file applies.
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
        // The nearest file with a matching rule decides.
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
