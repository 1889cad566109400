import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Names of files in a collection: relative to the base if below it, else the whole path; with `/`. */
export interface SourcePaths {
  toSource(path: string): string;
  toPath(source: string): string;
}

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
