import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureSpeed, type Speed } from './measure-speed.ts';
import { readSets } from './read-sets.ts';

const FILE = fileURLToPath(import.meta.url);

/** Measures speed in a process of its own: the garbage of other libraries is not collected on our time. */
export function measureSpeedApart(): Speed {
  const text = execFileSync(process.execPath, ['--expose-gc', FILE], { encoding: 'utf8' });
  // Written below by the same function.
  return JSON.parse(text) as Speed;
}

if (process.argv[1] === FILE) process.stdout.write(JSON.stringify(await measureSpeed(readSets())));
