import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** How files are named in a collection: relative to the base when below it, else by the whole path; with `/`. */
export interface SourcePaths {
  toSource(path: string): string;
  toPath(source: string): string;
}

/** Names files relative to a folder. */
export function createSourcePaths(base: string): SourcePaths {
  return {
    toSource: (path) => {
      const inside = relative(base, path);
      const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside);
      return (isOutside ? path : inside).split(sep).join('/');
    },
    toPath: (source) => (isAbsolute(source) ? resolve(source) : join(base, source)),
  };
}
