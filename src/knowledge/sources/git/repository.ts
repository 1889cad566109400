import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { isAlive } from '../../../platform/process/trees/process-table.ts';
import { makeFolder, prepareDataFolder } from '../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { isBinaryName, isGenerated } from '../../documents/document-format.ts';
import { compileExclude } from '../../documents/find/search-roots.ts';
import { MAX_FILE_BYTES, TOO_LARGE } from '../../documents/find/find-documents.ts';
import {
  type GitSource,
  isOf,
  type SourceEnd,
  type SourceItem,
  type SourceReading,
  type SourceResources,
} from '../source.ts';
import { GitCommand } from './git-command.ts';

const BATCH_BYTES = 8_000_000;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const LARGE_FILE = 'version https://git-lfs.github.com/spec/';
const HOUR = 3_600_000;

/** A file of a revision. */
interface Blob {
  readonly hash: string;
  readonly path: string;
  readonly id: string;
  readonly stamp: string;
}

/** Reads a repository at a revision, without a working tree. */
export async function* readRepository(
  plan: GitSource,
  resources: SourceResources,
  reading: SourceReading,
): AsyncGenerator<SourceItem, SourceEnd> {
  const folder = makeOwnFolder(resources.data);
  try {
    const url = plan.isLocal ? resolve(resources.base, plan.repository) : plan.repository;
    const { egress } = resources.httpClient(plan.allowHosts);
    const { headers, maxBytes } = plan;
    const git = new GitCommand(folder, { url, headers, egress, maxBytes, signal: reading.signal });
    await git.init();
    const target = await findTarget(git, plan.ref);
    const { records } = resources;
    const key = `${plan.scope.start} ${plan.scope.below ?? ''}`;
    const before = await records.get(key);
    const documents = [...reading.known.keys()].filter((id) => isOf(plan.scope, id));
    const isRead = isPlainObject(before) && before['documents'] === hashDocuments(plan, reading, documents);
    if (isRead && target.commit !== undefined && before['commit'] === target.commit) {
      for (const id of documents) yield { type: 'unchanged', id };
      return { isComplete: true, notes: [] };
    }
    const refs = `+${target.ref}:refs/pegboard/source`;
    const filter = `--filter=blob:limit=${MAX_FILE_BYTES + 1}`;
    const quiet = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    await git.reach(['fetch', ...quiet, filter, 'source', refs]);
    await git.detach();
    const commit = (await git.run(['rev-parse', '--verify', 'refs/pegboard/source^{commit}'])).toString().trim();
    const changed: Blob[] = [];
    for (const found of await listBlobs(git, commit, { plan, settings: reading.settings })) {
      if (found.type === 'skipped') yield found;
      else if (reading.known.get(found.blob.id)?.stamp === found.blob.stamp)
        yield { type: 'unchanged', id: found.blob.id };
      else changed.push(found.blob);
    }
    yield* readBlobs(git, changed);
    const remember = (ids: readonly string[]): Promise<void> =>
      records.set(key, { commit, documents: hashDocuments(plan, reading, ids) });
    return { isComplete: true, notes: [], remember };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Finds the ref to fetch and its current commit. */
async function findTarget(
  git: GitCommand,
  ref: string | undefined,
): Promise<{ ref: string; commit: string | undefined }> {
  if (ref !== undefined && COMMIT.test(ref)) return { ref, commit: ref };
  const asked = ref === undefined ? ['HEAD'] : [ref, `${ref}^{}`];
  const lines = (await git.reach(['ls-remote', 'source', ...asked])).toString().split('\n');
  const found = new Map(lines.map((line): [string, string] => [line.split('\t')[1] ?? '', line.split('\t')[0] ?? '']));
  const names = ref === undefined ? ['HEAD'] : [`refs/tags/${ref}`, `refs/heads/${ref}`, ref];
  const name = names.find((each) => found.has(each));
  if (name === undefined) {
    const message =
      ref === undefined ? 'It has no commits.' : `It has no branch or tag "${ref}". Use the full hash of a commit.`;
    throw new ToolError({ code: 'not_found', message });
  }
  // An annotated tag points to a tag object; this is its commit.
  return { ref: name, commit: found.get(`${name}^{}`) ?? found.get(name) };
}

type Listed = (SourceItem & { readonly type: 'skipped' }) | { readonly type: 'blob'; readonly blob: Blob };

async function listBlobs(
  git: GitCommand,
  commit: string,
  { plan, settings }: { readonly plan: GitSource; readonly settings: SourceReading['settings'] },
): Promise<Listed[]> {
  const { path, exclude, scope } = plan;
  const root = path === '' ? scope.start : scope.start.slice(0, -path.length);
  const args = [
    '--literal-pathspecs',
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    commit,
    ...(path === '' ? [] : ['--', path]),
  ];
  const entries = (await git.run(args))
    .toString()
    .split('\0')
    .filter((entry) => entry !== '');
  if (entries.length === 0 && path !== '')
    throw new ToolError({ code: 'not_found', message: `It has no "${path}" at this revision.` });
  const isExcluded = exclude.length === 0 ? () => false : compileExclude(exclude, '/');
  const marks = createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);
  return entries.flatMap((entry): Listed[] => {
    const tab = entry.indexOf('\t');
    const [mode = '', , hash = ''] = entry.slice(0, tab).split(' ');
    const file = entry.slice(tab + 1);
    const id = root + file;
    const skip = (reason: string): Listed[] => [{ type: 'skipped', id, reason, isUnknown: false }];
    const inside = path === '' ? file : file.slice(path.length);
    if (/(?:^|\/)(?:\.|node_modules\/)/.test(inside) || isExcluded(`/${file}`)) return [];
    if (mode === '160000') return skip('is a separate repository; add it as a source');
    if (mode === '120000') return skip('is a link');
    if (isGenerated(file)) return skip('is generated');
    if (isBinaryName(file)) return skip('is a binary file');
    return [{ type: 'blob', blob: { hash, path: basename(file), id, stamp: `git:${hash}:${marks}` } }];
  });
}

async function* readBlobs(git: GitCommand, blobs: readonly Blob[]): AsyncGenerator<SourceItem> {
  if (blobs.length === 0) return;
  const hashes = blobs.map(({ hash }) => hash).join('\n');
  const sizes = new Map<string, number>();
  for (const line of (await git.run(['cat-file', '--batch-check'], `${hashes}\n`)).toString().split('\n')) {
    const [hash = '', type, size] = line.split(' ');
    if (type === 'blob') sizes.set(hash, Number(size));
  }
  let batch: Blob[] = [];
  let size = 0;
  for (const blob of blobs) {
    const bytes = sizes.get(blob.hash);
    if (bytes === 0) yield { type: 'skipped', id: blob.id, reason: 'is empty', isUnknown: false };
    // Blobs that are missing were too large to fetch.
    else if (bytes === undefined || bytes > MAX_FILE_BYTES)
      yield { type: 'skipped', id: blob.id, reason: TOO_LARGE, isUnknown: false };
    else {
      batch.push(blob);
      size += bytes;
    }
    if (size < BATCH_BYTES) continue;
    yield* readBatch(git, batch);
    [batch, size] = [[], 0];
  }
  yield* readBatch(git, batch);
}

async function* readBatch(git: GitCommand, blobs: readonly Blob[]): AsyncGenerator<SourceItem> {
  if (blobs.length === 0) return;
  const output = await git.run(['cat-file', '--batch'], `${blobs.map(({ hash }) => hash).join('\n')}\n`);
  let at = 0;
  for (const { id, path, stamp } of blobs) {
    const end = output.indexOf(10, at);
    const size = Number(output.toString('latin1', at, end).split(' ')[2]);
    const bytes = output.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    if (bytes.toString('latin1', 0, LARGE_FILE.length) === LARGE_FILE)
      yield { type: 'skipped', id, reason: 'is kept in Git LFS', isUnknown: false };
    else yield { type: 'loaded', id, path, bytes, stamp };
  }
}

/** Hashes what is indexed of a repository: the same hash and commit need no new reading. */
function hashDocuments({ exclude }: GitSource, { settings }: SourceReading, documents: readonly string[]): string {
  const text = JSON.stringify([documents.toSorted(), exclude, settings]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Creates a folder for one reading, and deletes those of killed processes. */
function makeOwnFolder(data: string | undefined): string {
  if (data === undefined) return mkdtempSync(join(tmpdir(), 'pegboard-git-'));
  const above = join(data, 'sources');
  prepareDataFolder(data);
  makeFolder(above, 0o700);
  for (const name of readdirSync(above)) {
    const pid = Number(/^git-(\d+)-/.exec(name)?.[1]);
    const stats = statSync(join(above, name), { throwIfNoEntry: false });
    const isLeft = stats !== undefined && Date.now() - stats.mtimeMs > HOUR && pid > 0 && !isAlive(pid);
    if (isLeft) rmSync(join(above, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(above, `git-${process.pid}-`));
}
