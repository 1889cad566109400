// Skills of a board: folders with SKILL.md, over MCP, through search and for agents, with hostile folders.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpServer } from '../src/mcp.ts';
import { toAccess } from '../src/features/serving/commands/serve/serve-settings.ts';
import { LOCAL_USER } from '../src/mcp/server/caller.ts';
import { resultOf, TestClient } from '../src/mcp/server/test-client.test-helper.ts';
import { ALONE, CLI } from './cli-program.test-helper.ts';
import { boardFolder, openFolder } from './upstream-boards.test-helper.ts';

const MAIN = `---
name: brewing
description: Brew coffee as the house does it
metadata: { version: 2 }
---
# Brewing
Read references/beans.md first.
`;

/** Writes a skill below a folder. */
function write(folder: string, name: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'skills', name, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}

function skillBoard(config: Readonly<Record<string, unknown>> = {}): string {
  const folder = boardFolder({ name: 'house', skills: './skills', ...config });
  write(folder, 'brewing', {
    'SKILL.md': MAIN,
    'references/beans.md': 'Robusta.',
    'scripts/grind.sh': 'echo ground $1\n',
  });
  return folder;
}

async function serve(folder: string): Promise<McpServer> {
  const server = new McpServer(await openFolder(folder), { mode: 'classic' });
  onTestFinished(() => server.close());
  return server;
}

describe('a skill of a board', () => {
  it('is listed and read as the skills extension has it', async () => {
    const client = new TestClient(await serve(skillBoard()));
    expect(resultOf(await client.modern('server/discover'))['capabilities']).toMatchObject({
      extensions: { 'io.modelcontextprotocol/skills': {} },
    });
    const uri = 'skill://brewing/SKILL.md';
    const { skills } = resultOf(await client.modern('skills/list'));
    const digest = `sha256:${createHash('sha256').update(MAIN).digest('hex')}`;
    expect(skills).toMatchObject([
      {
        uri,
        frontmatter: { name: 'brewing', description: 'Brew coffee as the house does it', metadata: { version: 2 } },
        resources: [
          { uri, digest, size: MAIN.length },
          { uri: 'skill://brewing/references/beans.md' },
          { uri: 'skill://brewing/scripts/grind.sh' },
        ],
      },
    ]);
    expect(resultOf(await client.modern('skills/get', { uri }))).toMatchObject({
      skill: { uri },
      resultType: 'complete',
    });
    expect(await client.modern('skills/get', { uri: 'skill://other/SKILL.md' })).toMatchObject({
      error: { code: -32602 },
    });
    const { contents } = resultOf(await client.modern('resources/read', { uri }));
    expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: MAIN }]);
    const escaped = await client.modern('resources/read', { uri: 'skill://brewing/../../pegboard.yaml' });
    expect(escaped).toMatchObject({ error: { code: -32602 } });
  });

  it('is read with read_skill by clients that know no skills, and found beside tools', async () => {
    const folder = skillBoard();
    const board = await openFolder(folder);
    const client = new TestClient(new McpServer(board, { mode: 'classic' }));
    const { tools } = resultOf(await client.modern('tools/list'));
    expect(tools).toContainEqual(
      expect.objectContaining({
        name: 'read_skill',
        description: expect.stringContaining('- brewing: Brew coffee as the house does it'),
      }),
    );
    expect(JSON.stringify(tools)).not.toContain('skill__brewing');
    const read = (args: object) => client.modern('tools/call', { name: 'read_skill', arguments: args });
    expect(JSON.stringify(await read({ name: 'brewing' }))).toContain('Files of this skill: references/beans.md');
    expect(JSON.stringify(await read({ name: 'brewing', file: 'references/beans.md' }))).toContain('Robusta.');
    expect(JSON.stringify(await read({ name: 'brewing', file: '../../pegboard.yaml' }))).toContain('has no file');
    expect(JSON.stringify(await read({ name: 'tea' }))).toContain('Use one of: brewing.');
    expect(board.search('how do I brew a coffee')[0]?.metadata.name).toBe('skill__brewing');
  });

  it('is there for those alone whose rights and policy reach it', async () => {
    const server = await serve(skillBoard());
    const as = (rules: Parameters<typeof toAccess>[0]) =>
      new TestClient(server, { ...LOCAL_USER, id: 'token', access: toAccess(rules) });
    const other = as(['today']);
    expect(resultOf(await other.modern('skills/list'))['skills']).toEqual([]);
    expect(await other.modern('resources/read', { uri: 'skill://brewing/SKILL.md' })).toHaveProperty('error');
    expect(JSON.stringify(await other.modern('tools/list'))).not.toContain('read_skill');
    expect(resultOf(await as([{ source: 'house' }]).modern('skills/list'))['skills']).toHaveLength(1);
    const closed = new TestClient(await serve(skillBoard({ policy: { deny: ['skill__brewing'] } })));
    expect(resultOf(await closed.modern('skills/list'))['skills']).toEqual([]);
    expect(await closed.modern('resources/read', { uri: 'skill://brewing/SKILL.md' })).toHaveProperty('error');
  });

  it('runs its scripts as tools where that is asked for, which count as tools that write', async () => {
    const plain = await openFolder(skillBoard());
    expect(plain.registry.has('skill__brewing__grind')).toBe(false);
    const skills = [{ path: './skills', scripts: true }];
    const open = await openFolder(skillBoard({ skills }));
    expect((await open.call('skill__brewing__grind', { arguments: ['beans'] })).text.trim()).toBe('ground beans');
    const guarded = await openFolder(skillBoard({ skills, policy: {} }));
    expect((await guarded.call('skill__brewing__grind', {})).error?.code).toBe('approval_required');
    expect((await guarded.call('skill__brewing')).ok).toBe(true);
  });

  it('is pinned by the lock with all its files', async () => {
    const folder = skillBoard({ lock: 'deny' });
    const first = await openFolder(folder, { lock: 'ignore' });
    first.lock.write();
    await first.close();
    expect((await openFolder(folder)).registry.has('skill__brewing')).toBe(true);
    write(folder, 'brewing', { 'references/beans.md': 'Something else.' });
    const changed = await openFolder(folder);
    expect(changed.registry.has('skill__brewing')).toBe(false);
    const client = new TestClient(new McpServer(changed));
    expect(await client.modern('resources/read', { uri: 'skill://brewing/references/beans.md' })).toHaveProperty(
      'error',
    );
  });
});

describe('a skill of another server', () => {
  it('is listed and read through the board, and by those alone who may', async () => {
    const upstream = skillBoard();
    const config = { policy: { resources: { deny: ['skill://brewing/scripts/*'] } } };
    const entry = { command: process.execPath, args: [CLI, 'serve', join(upstream, 'pegboard.yaml')], env: ALONE };
    const client = new TestClient(await serve(boardFolder({ name: 'desk', mcpServers: { house: entry }, ...config })));
    expect(resultOf(await client.modern('server/discover'))['capabilities']).toMatchObject({
      extensions: { 'io.modelcontextprotocol/skills': {} },
    });
    const { skills } = resultOf(await client.modern('skills/list'));
    expect(skills).toMatchObject([
      { uri: 'skill://brewing/SKILL.md', frontmatter: { name: 'brewing', metadata: { version: 2 } } },
    ]);
    const read = async (uri: string): Promise<unknown> => client.modern('resources/read', { uri });
    expect(await read('skill://brewing/references/beans.md')).toMatchObject({
      result: { contents: [{ text: 'Robusta.' }] },
    });
    expect(await read('skill://brewing/scripts/grind.sh')).toHaveProperty('error');
  });
});

describe('a hostile folder of skills', () => {
  it('leads nowhere else, and is left out with a reason where it breaks the rules', async () => {
    const folder = skillBoard();
    const of = (name: string, more = '') => `---\nname: ${name}\ndescription: D\n---\n${more}`;
    write(folder, 'links', { 'SKILL.md': of('links') });
    symlinkSync(join(folder, 'pegboard.yaml'), join(folder, 'skills/links/secret.yaml'));
    symlinkSync('/etc', join(folder, 'skills/links/etc'));
    symlinkSync('/etc', join(folder, 'skills/outside'));
    write(folder, 'wrong-name', { 'SKILL.md': of('other') });
    write(folder, 'no-main', { 'README.md': 'x' });
    write(folder, 'bomb', { 'SKILL.md': `---\nname: bomb\ndescription: *a\n---\n` });
    write(folder, 'hidden', { 'SKILL.md': of('hidden', 'Do it\u{e0041}\u{e0042} now') });
    write(folder, 'large', { 'SKILL.md': of('large'), 'data.bin': 'x'.repeat(17 * 1024 * 1024) });
    const board = await openFolder(folder);
    const skills = board.registry
      .getAll()
      .flatMap(({ metadata }) => (metadata.category === 'skill' ? [metadata.name] : []));
    expect(skills).toEqual(['skill__brewing', 'skill__hidden', 'skill__links']);
    const told = board.diagnostics.map(({ message }) => message).join('\n');
    for (const part of [
      '"other" is not that of its folder',
      'it has no SKILL.md',
      '"bomb" is left out',
      'more than 16777216 bytes',
    ])
      expect(told).toContain(part);
    expect(told).toContain('the skill "hidden" contains hidden text');
    expect((await board.call('skill__hidden')).text).toContain('Do it now');
    expect((await board.call('skill__links', { file: 'secret.yaml' })).error?.code).toBe('not_found');
    // A file that becomes a link after it was read is not followed.
    const beans = join(folder, 'skills/brewing/references/beans.md');
    chmodSync(beans, 0o600);
    writeFileSync(beans, 'Changed.');
    expect((await board.call('skill__brewing', { file: 'references/beans.md' })).text).toContain('has changed');
  });
});
