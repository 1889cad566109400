import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const root = join(import.meta.dirname, '..');

/** Packs a package, and unpacks it into the node_modules of a folder under its name. Pegboard itself is built and packed once in a run. */
export function installPacked(name: string, source: string, folder: string): void {
  const built = process.env['PEGBOARD_TEST_CLI'];
  const isShared = source === root && built !== undefined;
  const tarballs = isShared ? join(dirname(dirname(built)), 'packed') : mkdtempSync(join(folder, 'packed-'));
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Building is for one test file at a time: all write to dist/.
  const turn = new DatabaseSync(join(root, '.cache/pack-turns.db'), { timeout: 600_000 });
  try {
    turn.exec('BEGIN EXCLUSIVE');
    mkdirSync(tarballs, { recursive: true });
    if (readdirSync(tarballs).length === 0)
      execFileSync('npm', ['pack', '--pack-destination', tarballs, '--loglevel=error'], { cwd: source, stdio: 'pipe' });
  } finally {
    turn.close();
  }
  const target = join(folder, 'node_modules', name);
  mkdirSync(target, { recursive: true });
  for (const tarball of readdirSync(tarballs)) {
    execFileSync('tar', ['-xzf', join(tarballs, tarball), '--strip-components=1', '-C', target]);
  }
}

/** Installs Pegboard as it is packed in a folder, beside all that this repository has installed but for some packages. */
export function installPegboard(folder: string, without: ReadonlySet<string> = new Set()): void {
  installPacked('pegboard', root, folder);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') || without.has(name)) continue;
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}
