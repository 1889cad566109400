import { globSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { findOwnPackage } from '../../../platform/own-package.ts';
import type { ZipFile } from '../../../platform/zip/write-zip.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';

const MOST_FILES = 5_000;
const MOST_BYTES = 100 * 1024 * 1024;

/** What is never packed: what others keep beside a board, and what looks like a secret. */
const NEVER = [
  '.git',
  'node_modules',
  '.pegboard',
  '.env',
  '.env.*',
  '.envrc',
  '*.env',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.kdbx',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh',
  '.aws',
  '.kube',
  '.gnupg',
  '.docker',
  '.npmrc',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  '*.mcpb',
  '.DS_Store',
];

/**
 * The files of a board's folder, but for what `.gitignore` and `.mcpbignore` name, data folders, the files that the board reads
 * secrets from and others that look like secrets. Links are not followed. Throws for a folder with more than a bundle should have.
 */
export function collectBoard(
  folder: string,
  { data, secretFiles }: { readonly data: string; readonly secretFiles: readonly string[] },
): ZipFile[] {
  const rules = ignore();
  for (const name of ['.gitignore', '.mcpbignore']) rules.add(readIfThere(join(folder, name)));
  // Apart from those of the user, so that no `!` brings them back.
  const never = ignore().add(NEVER);
  const kept = relative(folder, data);
  if (kept !== '' && !kept.startsWith('..')) never.add(`/${kept.split(sep).join('/')}/`);
  const secrets = new Set(secretFiles.map(realPath));
  const files: ZipFile[] = [];
  let bytes = 0;
  const visit = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const shown = entry.isDirectory() ? `${path}/` : path;
      if (never.ignores(shown) || rules.ignores(shown)) continue;
      if (entry.isDirectory()) visit(path);
      if (!entry.isFile()) continue;
      const file = join(folder, path);
      if (secrets.has(realPath(file))) continue;
      const { mode, size } = statSync(file);
      bytes += size;
      if (files.length >= MOST_FILES || bytes > MOST_BYTES) throw tooLarge(folder);
      files.push({ name: path, data: readFileSync(file), isExecutable: (mode & 0o111) !== 0 });
    }
  };
  visit('');
  return files;
}

/** Where a file really is; the path as given where there is none. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Pegboard itself and all packages that it needs to run, below `node_modules`. Throws where it was not built. */
export function collectPegboard(): ZipFile[] {
  const own = findOwnPackage();
  const files = packageFiles(own.folder, 'pegboard', ['package.json', 'LICENSE', 'NOTICE', 'dist/**/*']);
  if (!files.some(({ name }) => name.endsWith('/dist/cli.js'))) {
    const message = 'This copy of Pegboard was not built, so it cannot be packed. Run: npm run build';
    throw new ToolError({ code: 'execution_failed', message });
  }
  // By their paths below node_modules. A second version of a package stands below the one that needs it.
  const found = new Map<string, string>();
  const visit = (folder: string, path: string): void => {
    for (const name of Object.keys(dependenciesOf(folder))) {
      const place = findPackage(name, folder);
      const nested = `${path}/node_modules/${name}`;
      if (found.get(name) === place || found.get(nested) === place) continue;
      const target = found.has(name) ? nested : name;
      found.set(target, place);
      visit(place, target);
    }
  };
  visit(own.folder, 'pegboard');
  return [...files, ...[...found].flatMap(([path, folder]) => packageFiles(folder, path, ['**/*']))];
}

function packageFiles(folder: string, name: string, patterns: readonly string[]): ZipFile[] {
  return patterns.flatMap((pattern) =>
    globSync(pattern, { cwd: folder, exclude: ['node_modules'] })
      // Types and maps are for people who write code.
      .filter((path) => !/\.(?:d\.[cm]?ts|map|md)$/.test(path) && statSync(join(folder, path)).isFile())
      .map((path) => ({
        name: `node_modules/${name}/${path.split(sep).join('/')}`,
        data: readFileSync(join(folder, path)),
      })),
  );
}

function dependenciesOf(folder: string): Readonly<Record<string, unknown>> {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return isPlainObject(dependencies) ? dependencies : {};
}

/** Where an installed package is, as Node finds it from a folder. */
function findPackage(name: string, from: string): string {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  for (const place of places) {
    const folder = join(place, name);
    if (statSync(join(folder, 'package.json'), { throwIfNoEntry: false })?.isFile() === true)
      return realpathSync(folder);
  }
  const message = `The package "${name}", which ${dirname(from)} needs, is not installed. Run: npm install`;
  throw new ToolError({ code: 'execution_failed', message });
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function tooLarge(folder: string): ToolError {
  const message = `${folder} has more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MB, too much for a bundle. Name what does not belong to the board in .mcpbignore, or move the board into a folder of its own.`;
  return new ToolError({ code: 'output_too_large', message });
}
