import { relative, sep } from 'node:path';
import picomatch from 'picomatch';

/** Returns a test for excluded paths. A pattern without a folder matches files of that name anywhere. */
export function compileExclude(patterns: readonly string[], cwd: string): (path: string) => boolean {
  const isMatch = picomatch([...patterns], { dot: true });
  return (path) => {
    const inside = relative(cwd, path).split(sep).join('/');
    return isMatch(inside) || isMatch(inside.split('/').at(-1) ?? inside);
  };
}
