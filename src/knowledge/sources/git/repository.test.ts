import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import type { KnowledgeCollection } from '../../collection/knowledge-collection.ts';
import { openKnowledge } from '../../open-knowledge.ts';
import type { GitSourceSettings } from '../../plan/knowledge-settings.ts';
import type { SourcesReport } from '../index-sources.ts';
import { memoryRecords } from '../source.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-git-test-'));
  mkdirSync(join(folder, 'shop'));
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const settings = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...settings, ...args], { cwd: join(folder, 'shop'), encoding: 'utf8' }).trim();
}

function commit(files: Readonly<Record<string, string | undefined>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'shop', path);
    mkdirSync(dirname(file), { recursive: true });
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
  }
  git('add', '--all');
  git('commit', '--quiet', '--message=more');
  return git('rev-parse', 'HEAD');
}

interface Opened {
  readonly docs: KnowledgeCollection;
  readonly index: () => Promise<SourcesReport>;
  readonly ids: () => Promise<string[]>;
}

function open(source: Partial<GitSourceSettings> = {}): Opened {
  const sources = [{ git: 'shop', ...source }];
  const data = join(folder, 'data');
  const knowledge = openKnowledge({ data, base: folder, collections: { docs: { sources } } });
  onTestFinished(() => knowledge.close());
  const docs = knowledge.collection('docs');
  const records = memoryRecords();
  return {
    docs,
    index: () => docs.indexSources({ records }),
    ids: async () => (await (await docs.open()).store.documents('docs')).map(({ id }) => id),
  };
}

describe('a repository', () => {
  it('is read at a revision: nothing if it is the same, only changes if it moves', async () => {
    commit({ 'docs/a.md': '# A\n\napples', 'docs/deep/b.md': '# B\n\nbananas', 'src/code.md': 'not meant' });
    commit({ 'docs/same.md': 'the same' });
    writeFileSync(join(folder, 'shop/docs/a.md'), '# A\n\nnot committed');
    const { docs, index, ids } = open({ ref: 'main', path: 'docs/', tags: ['handbook'] });
    expect(await index()).toMatchObject({ indexed: 3, failures: [], skipped: [] });
    const at = (...paths: string[]): string[] => paths.map((path) => `git+file://shop@main/docs/${path}`);
    expect(await ids()).toEqual(at('a.md', 'deep/b.md', 'same.md'));
    expect((await docs.search('apples', { sourcePath: 'git+file://shop@main/docs/' })).hits[0]).toMatchObject({
      sourcePath: 'git+file://shop@main/docs/a.md',
      lines: { from: 1, to: 3 },
      tags: ['handbook'],
    });
    expect(await index()).toMatchObject({ indexed: 0, unchanged: 3, bytes: 0 });

    commit({ 'docs/a.md': undefined, 'docs/deep/b.md': '# B\n\nblueberries', 'docs/c.md': '# C\n\ncherries' });
    git('tag', '--annotate', 'v1', '--message=one');
    expect(await index()).toMatchObject({ indexed: 2, unchanged: 1, removed: 1, bytes: 29 });
    expect(await ids()).toEqual(at('c.md', 'deep/b.md', 'same.md'));
    // The user's tree is unchanged, and nothing is left behind.
    expect(git('status', '--porcelain')).toBe('');
    expect(readdirSync(join(folder, 'data/sources'))).toEqual([]);

    expect(await open({ ref: 'v1', path: 'docs' }).index()).toMatchObject({ indexed: 3, failures: [] });
    expect(await open({ ref: git('rev-parse', 'HEAD~1'), path: 'docs/deep/b.md' }).index()).toMatchObject({
      indexed: 1,
    });
  });

  it('runs nothing from the repository, and skips files that are not documents', async () => {
    const marker = join(folder, 'ran');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-merge', 'pre-auto-gc'])
      writeFileSync(join(folder, 'shop/.git/hooks', hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    mkdirSync(join(folder, 'other'));
    execFileSync('git', ['init', '--quiet', join(folder, 'other')]);
    symlinkSync('/etc/passwd', join(folder, 'shop/link.md'));
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`;
    commit({
      'a.md': 'apples',
      'big.md': pointer,
      'picture.png': 'no words',
      'package-lock.json': '{}',
      'empty.md': '',
      '.hidden/b.md': 'hidden',
      'node_modules/c.md': 'not ours',
      'out/d.md': 'left out',
      '.gitattributes': '* filter=evil\n',
    });
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},module`);
    git('commit', '--quiet', '--message=module');
    rmSync(marker, { force: true });
    const { index, ids } = open({ exclude: ['out/**'] });
    const report = await index();
    expect(await ids()).toEqual(['git+file://shop/a.md']);
    expect(
      Object.fromEntries(report.skipped.map(({ path, reason }) => [path.replace('git+file://shop/', ''), reason])),
    ).toEqual({
      'link.md': 'is a link',
      'big.md': 'is kept in Git LFS',
      'picture.png': 'is a binary file',
      'package-lock.json': 'is generated',
      'empty.md': 'is empty',
      module: 'is a separate repository; add it as a source',
    });
    expect(readdirSync(folder)).not.toContain('ran');
  });

  it('with missing objects runs no command of its config to get them', async () => {
    const marker = join(folder, 'ran');
    commit({ 'a.md': 'apples', 'b.md': 'bananas' });
    const hash = git('rev-parse', 'HEAD:b.md');
    rmSync(join(folder, 'shop/.git/objects', hash.slice(0, 2), hash.slice(2)), { force: true });
    for (const [key, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'evil'],
      ['remote.evil.promisor', 'true'],
      ['remote.evil.url', join(folder, 'shop')],
      ['remote.evil.uploadpack', `touch ${marker}; git-upload-pack`],
      ['core.alternateRefsCommand', `touch ${marker};:`],
      ['uploadpack.packObjectsHook', `touch ${marker};`],
      ['core.fsmonitor', `touch ${marker}`],
      ['core.sshCommand', `touch ${marker}`],
    ] as const)
      git('config', key, value);
    const { failures } = await open().index();
    expect(failures).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain('ran');
  });

  it('skips a file whose path is too long or leads elsewhere, and reads the others', async () => {
    const blob = commit({ 'a.md': 'apples' }) && git('rev-parse', 'HEAD:a.md');
    const make = (entries: string): string =>
      execFileSync('git', ['mktree', '--missing'], {
        cwd: join(folder, 'shop'),
        encoding: 'utf8',
        input: entries,
      }).trim();
    let deep = make(`100644 blob ${blob}\tb.md\n`);
    for (let level = 0; level < 12; level++) deep = make(`040000 tree ${deep}\t${'x'.repeat(200)}\n`);
    const evil = `100644 blob ${blob}\t`;
    const tree = make(`${evil}a.md\n${evil}A.md\n${evil}-c.md\n040000 tree ${deep}\tdeep\n`);
    git('update-ref', 'refs/heads/main', git('commit-tree', tree, '-m', 'evil'));
    const { index, ids } = open();
    const report = await index();
    expect(report.failures).toEqual([]);
    expect(report.skipped).toEqual([
      { path: expect.stringContaining('/b.md'), reason: 'has a path of more than 2000 bytes' },
    ]);
    expect((await ids()).toSorted()).toEqual(['-c.md', 'A.md', 'a.md'].map((name) => `git+file://shop/${name}`));
  });

  it('with endless files is rejected', async () => {
    const make = (mode: string, type: string, hash: string): string => {
      const entries = Array.from({ length: 20 }, (_, at) => `${mode} ${type} ${hash}\tpart-${at}.md\n`);
      const options = { cwd: join(folder, 'shop'), encoding: 'utf8', input: entries.join('') } as const;
      return execFileSync('git', ['mktree'], options).trim();
    };
    commit({ 'a.md': 'apples' });
    let tree = make('100644', 'blob', git('rev-parse', 'HEAD:a.md'));
    for (let level = 0; level < 6; level++) tree = make('040000', 'tree', tree);
    git('update-ref', 'refs/heads/main', git('commit-tree', tree, '-m', 'many'));
    const { failures } = await open().index();
    expect(failures?.map(({ reason }) => reason)).toEqual(['It has too many files. Select a folder of it with path.']);
  });

  it('is fetched over HTTP with its headers, without files that are too large', async () => {
    commit({ 'a.md': 'apples', 'huge.md': 'x'.repeat(20_000_001) });
    git('config', 'uploadpack.allowFilter', 'true');
    const server = await startServer(({ method, target, headers, body }, response) => {
      const url = new URL(target, 'http://127.0.0.1');
      const env = {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      };
      const output = execFileSync('git', ['http-backend'], { env, input: body, maxBuffer: 100_000_000 });
      const end = output.indexOf('\r\n\r\n');
      for (const line of output.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(output.subarray(end + 4));
    });
    const address = `http://localhost:${server.port}/shop/.git`;
    const { index, ids } = open({
      git: address,
      headers: { authorization: 'Bearer hunter2' },
      allow_hosts: [`localhost:${server.port}`],
      max_bytes: 100_000,
    });
    const root = `git+${address}`;
    expect(await index()).toMatchObject({
      indexed: 1,
      skipped: [{ path: `${root}/huge.md`, reason: 'is larger than 20 MB; split it' }],
      failures: [],
    });
    expect(await ids()).toEqual([`${root}/a.md`]);
    expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer hunter2')).toBe(true);
    expect(server.seen.some(({ target }) => target.endsWith('/git-upload-pack'))).toBe(true);
    const asked = server.seen.length;
    expect(await index()).toMatchObject({ unchanged: 1, bytes: 0 });
    // Only the revision is requested.
    expect(server.seen.length - asked).toBeLessThanOrEqual(2);
  });

  it('fails with a reason, and keeps its documents', async () => {
    commit({ 'docs/a.md': 'apples' });
    git('branch', 'side');
    const opened = open({ ref: 'side' });
    await opened.index();
    git('branch', '--delete', '--force', 'side');
    const gone = await opened.index();
    expect(gone.failures).toEqual([
      { path: 'shop at side', reason: 'It has no branch or tag "side". Use the full hash of a commit.' },
    ]);
    expect(await opened.ids()).toEqual(['git+file://shop@side/docs/a.md']);

    const redirecting = await startServer(
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/x' }).end(),
    );
    const allow = { allow_hosts: [`127.0.0.1:${redirecting.port}`] };
    const headers = { authorization: 'Bearer hunter2' };
    const rows: [Partial<GitSourceSettings>, RegExp][] = [
      [{ git: 'nowhere' }, /^git says: fatal: .*not appear to be a git repository/],
      [{ path: 'missing' }, /^It has no "missing" at this revision\.$/],
      [{ git: 'http://127.0.0.1:1/x.git' }, /add "127\.0\.0\.1:1" to allow_hosts of the source\./],
      [{ git: 'ssh://git@127.0.0.1/x.git' }, /add "127\.0\.0\.1:22" to allow_hosts of the source\./],
      [{ git: 'git@127.0.0.1:x.git' }, /add "127\.0\.0\.1:22" to allow_hosts of the source\./],
      [{ git: 'https://no-such-host.invalid/x.git' }, /no-such-host\.invalid, cannot be resolved/],
      [
        { git: `${redirecting.origin}/x.git`, headers, ...allow },
        /^git says: fatal: unable to access .*redirect|requested URL returned error: 302/,
      ],
      [{ max_bytes: 10 }, /^It has more than 10 bytes\. Raise max_bytes\.$/],
    ];
    for (const [source, reason] of rows) {
      const { failures } = await open(source).index();
      expect(failures?.[0]?.reason).toMatch(reason);
      expect(JSON.stringify(failures)).not.toContain('hunter2');
    }
    expect(redirecting.seen[0]?.headers.authorization).toBe('Bearer hunter2');
  });

  it('is rejected in the settings if git could be made to run or reach something else', () => {
    const rows: [Partial<GitSourceSettings>, string][] = [
      [{ git: 'ext::sh -c touch% /tmp/x' }, 'git: "ext::sh -c touch% /tmp/x" is not a repository.'],
      [{ git: '--upload-pack=x' }, 'git: "--upload-pack=x" is not a repository.'],
      [{ git: 'ftp://host/x' }, 'git: The protocol "ftp:" is not allowed.'],
      [{ git: 'https://me:hunter2@host/x' }, 'git: A name or password in the address'],
      [{ ref: '--output=/tmp/x' }, 'ref: "--output=/tmp/x" is not a revision.'],
      [{ ref: 'a..b' }, 'ref: "a..b" is not a revision.'],
      [{ path: 'docs/../../x' }, 'path: The path leads out of the repository.'],
    ];
    for (const [source, message] of rows)
      expect(() => open(source)).toThrow(`openKnowledge: collections.docs.sources[0].${message}`);
  });
});
