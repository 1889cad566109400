import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Beside the bundle when built, in dist/ when run from source. */
const PLACES = ['inspector/page', 'dist/inspector/page'];
const FOLDERS_UP = 2;

/** Reads the files of the page by request path; empty if the page was not built. */
export function readPageFiles(folder: string | undefined = findPage()): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (folder === undefined) return files;
  for (const name of globSync('**/*.*', { cwd: folder })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const file = { type, bytes: readFileSync(join(folder, name)) };
    files.set(name === 'index.html' ? '/' : `/${name.replaceAll('\\', '/')}`, file);
  }
  return files;
}

function findPage(): string | undefined {
  let folder = import.meta.dirname;
  for (let up = 0; up <= FOLDERS_UP; up++, folder = dirname(folder)) {
    const found = PLACES.map((place) => join(folder, place)).find((place) => existsSync(join(place, 'assets')));
    if (found !== undefined) return found;
  }
  return undefined;
}
