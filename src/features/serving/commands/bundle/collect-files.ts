import { globSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { findOwnPackage } from '../../../../platform/own-package.ts';
import type { ZipFile } from '../../../../platform/zip/write-zip.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';

const MOST_FILES = 5_000;
const MOST_BYTES = 100 * 1024 * 1024;

/** Files that are never packed: folders of other programs, and files that look like secrets. */
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
 * Collects the files in a board's folder, except those that `.gitignore` and `.mcpbignore` name, data folders, and files with
 * secrets. Does not follow links. Throws when the folder is too large for a bundle.
 */
export function collectBoard(
  folder: string,
  { data, secretFiles }: { readonly data: string; readonly secretFiles: readonly string[] },
): ZipFile[] {
  const rules = ignore();
  for (const name of ['.gitignore', '.mcpbignore']) rules.add(readIfThere(join(folder, name)));
  // Kept apart from the user's rules, so that no `!` brings them back.
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

/** Resolves links; returns the path as given if the file does not exist. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Collects Pegboard and the packages that it needs, below `node_modules`. Throws if Pegboard was not built. */
export function collectPegboard(): ZipFile[] {
  const own = findOwnPackage();
  const files = packageFiles(own.folder, 'pegboard', ['package.json', 'LICENSE', 'NOTICE', 'dist/**/*']);
  if (!files.some(({ name }) => name.endsWith('/dist/cli.js'))) {
    const message = 'This copy of Pegboard was not built, so it cannot be packed. Run: npm run build';
    throw new ToolError({ code: 'execution_failed', message });
  }
  // Keyed by the path below node_modules. A second version of a package goes below the package that needs it.
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
      // Types and source maps are not needed at run time.
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

/** Finds the folder of an installed package, as Node resolves it. */
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
  const message = `${folder} has more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MB, too much for a bundle. List files that do not belong to the board in .mcpbignore, or move the board into its own folder.`;
  return new ToolError({ code: 'output_too_large', message });
}
