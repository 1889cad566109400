import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const LANCEDB = '@lancedb/lancedb@0.39.0 apache-arrow@18.1.0';

/** Installs the peers if they are not there, and builds the project: what is measured is what users get. */
export function prepare(root: string): void {
  if (!existsSync(`${root}/bench/node_modules`)) {
    runQuietly('npm ci --prefix bench --ignore-scripts', root);
    // Not every platform's build of it is published everywhere, which a lock file does not forgive.
    runQuietly(`npm install --prefix bench --no-save --no-package-lock --ignore-scripts ${LANCEDB}`, root);
  }
  runQuietly('npm run build', root);
}

function runQuietly(command: string, root: string): void {
  console.error(`> ${command}`);
  execSync(command, { cwd: root, stdio: ['ignore', process.stderr, 'inherit'] });
}
