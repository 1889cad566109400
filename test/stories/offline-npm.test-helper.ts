// `npm install` without a network: the packed Pegboard, and beside it what this repository has installed. Run as a program by `npm` of
// the stories' folders.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly version?: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Puts `npm` and `npx` into a folder for PATH: installing and running packages needs no network, all else is the real npm. */
export function writeNpm(folder: string, packed: string): void {
  mkdirSync(folder, { recursive: true });
  const install = `exec node '${import.meta.filename}' '${packed}' "$@"`;
  const real = `PATH="\${PATH#*:}" exec npm "$@"`;
  writeProgram(join(folder, 'npm'), `case "$1" in install|i) shift; ${install};; esac\n${real}`);
  const local = `[ -x "node_modules/.bin/$name" ] && exec "node_modules/.bin/$name" "$@"`;
  const server = `exec node "${root}/node_modules/$name/dist/index.js" "$@"`;
  writeProgram(join(folder, 'npx'), `[ "$1" = -y ] && shift\nname=$1; shift\n${local}\n${server}`);
}

function writeProgram(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Installs a package into the working folder, with its commands. */
function install(name: string, packed: string): Manifest {
  const target = join('node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  if (name === 'pegboard') cpSync(packed, target, { recursive: true });
  else if (!existsSync(target)) symlinkSync(join(root, 'node_modules', name), target);
  const manifest = readManifest(target);
  const bins = typeof manifest.bin === 'string' ? { [name]: manifest.bin } : (manifest.bin ?? {});
  mkdirSync('node_modules/.bin', { recursive: true });
  for (const [command, file] of Object.entries(bins)) {
    if (!existsSync(join('node_modules/.bin', command)))
      symlinkSync(join('..', name, file), join('node_modules/.bin', command));
    if (name === 'pegboard') chmodSync(join(target, file), 0o755);
  }
  return manifest;
}

if (import.meta.main) {
  const [packed = '', ...words] = process.argv.slice(2);
  const names = words.filter((word) => !word.startsWith('-'));
  const installed = names.map((name) => [name, install(name, packed)] as const);
  const needed = installed.flatMap(([name, { dependencies = {} }]) =>
    name === 'pegboard' ? Object.keys(dependencies) : [],
  );
  for (const name of needed) install(name, packed);
  const project = existsSync('package.json') ? JSON.parse(readFileSync('package.json', 'utf8')) : {};
  const versions = Object.fromEntries(installed.map(([name, { version = '' }]) => [name, `^${version}`]));
  const dependencies = { ...project.dependencies, ...versions };
  writeFileSync('package.json', `${JSON.stringify({ ...project, dependencies }, undefined, 2)}\n`);
  process.stdout.write(`\nadded ${names.length + needed.length} packages\n`);
}
