import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from './package-of.ts';

/** The packages of a run. Those that take long to install are the development packages of package.json. */
const { dependencies, devDependencies }: Readonly<Record<'dependencies' | 'devDependencies', object>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
);

/** Returns true for a package that is installed quickly. */
export function isQuick(name: string): boolean {
  return !Object.hasOwn(devDependencies, name);
}

/** Installs the clients and servers that are not there, and builds the project: what is tried is what users get. */
export function prepare(root: string, { quick }: { readonly quick: boolean }): void {
  const needed = Object.keys(quick ? dependencies : { ...dependencies, ...devDependencies });
  const isMissing = needed.some((name) => packageOf(name) === undefined);
  if (isMissing) run(`npm ci --prefix interop --ignore-scripts${quick ? ' --omit=dev' : ''}`, root);
  run('npm run build', root);
}

function run(command: string, root: string): void {
  console.error(`> ${command}`);
  execSync(command, { cwd: root, stdio: ['ignore', process.stderr, 'inherit'] });
}
