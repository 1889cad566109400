import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = join(import.meta.dirname, '../../node_modules');
const LOG = new URL('../log-loads.ts', import.meta.url).href;

/** The files that a program loads from disk. */
export interface Loads {
  readonly files: number;
  readonly bytes: number;
  /** The packages it loads from. */
  readonly packages: readonly string[];
}

/** Runs a program and says what it loaded. */
export function measureLoads(code: string): Loads {
  const args = ['--import', LOG, '--input-type=module', '--eval', code];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname });
  const files = text
    .split('\n')
    .filter((line) => line.startsWith('file:'))
    .map((line) => fileURLToPath(line));
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\//.exec(file)?.[1] ?? []);
  return {
    files: files.length,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    packages: [...new Set(packages)].toSorted(),
  };
}

/** The packages that come with one, itself among them, and the bytes of each as it is installed. */
export function measureInstalled(name: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = join(MODULES, next);
    if (found.has(next) || !existsSync(folder)) continue;
    found.set(next, sizeOf(folder));
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    waiting.push(...Object.keys(dependencies));
  }
  return found;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
