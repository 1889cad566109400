import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs the peers if they are not there, and builds the project: what is measured is what users get. */
export function prepare(root: string): void {
  if (!existsSync(`${root}/bench/node_modules`)) runQuietly('npm ci --prefix bench --ignore-scripts', root);
  runQuietly('npm run build', root);
}

function runQuietly(command: string, root: string): void {
  console.error(`> ${command}`);
  execSync(command, { cwd: root, stdio: ['ignore', process.stderr, 'inherit'] });
}
