import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CLIENT_CONFIGS, type ClientConfig } from './client-configs.ts';
import { planInstall } from './install-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'install-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('writes through no link that a repository brought along', () => {
  const [file, precious] = [join(folder, '.mcp.json'), join(folder, 'precious')];
  writeFileSync(precious, 'mine');
  symlinkSync(precious, `${file}.new`);
  symlinkSync(precious, file);
  writeFileSync(precious, '{"kept": true}');
  // It is in the list.
  const client = CLIENT_CONFIGS['claude-code'] as ClientConfig;
  const server = { url: 'http://127.0.0.1:7331/mcp', headers: { Authorization: 'Bearer secret' } };
  planInstall(client, file, { name: 'board', server }).write();
  expect(readFileSync(precious, 'utf8')).toBe('{"kept": true}');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kept: true, mcpServers: { board: server } });
  const fresh = join(folder, 'fresh.json');
  planInstall(client, fresh, { name: 'board', server }).write();
  expect(statSync(fresh).mode & 0o777).toBe(0o600);
});
