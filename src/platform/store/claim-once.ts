import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDataFolder } from './prepare-data-folder.ts';
import { makeFolder } from './make-folder.ts';

/** News of one topic that are remembered; with more, the older ones are forgotten. */
const MAX_NEWS = 50;

/**
 * Takes the turn to tell something that is told once, whichever process comes first; false when it was told already.
 *
 * In a data folder that cannot be written everything is told each time.
 */
export function claimOnce(data: string, topic: string, news: string): boolean {
  const folder = join(data, 'told');
  const [start, name] = [`${toName(topic)}-`, `${toName(topic)}-${toName(news)}`];
  try {
    prepareDataFolder(data);
    makeFolder(folder, 0o700);
    if (!makeFile(join(folder, name))) return false;
    const older = readdirSync(folder).filter((old) => old.startsWith(start) && old !== name);
    if (older.length >= MAX_NEWS) for (const old of older) rmSync(join(folder, old), { force: true });
  } catch {
    // Told too often is better than not at all.
  }
  return true;
}

/** Makes an empty file; false when it is there already. */
function makeFile(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function toName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
