import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ClientFile, MCP_CLIENTS } from '../../../../cli/shared/clients/clients.ts';
import { planInstall } from './install-config.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'install-')));
const folder = join(root, 'project');
beforeEach(() => mkdirSync(folder, { recursive: true }));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const client = MCP_CLIENTS['claude-code'];
const entry = { url: 'http://127.0.0.1:7331/mcp', headers: { Authorization: 'Bearer secret' } };
const server = { type: 'http', ...entry };

function fileOf(name: string): ClientFile {
  return { path: join(folder, name), format: 'json', isProject: true, sections: [['mcpServers']] };
}

it('writes through no link that leads out of the project, which a repository may have brought along', async () => {
  const precious = join(root, 'precious');
  writeFileSync(precious, '{"kept": true}');
  symlinkSync(precious, join(folder, '.mcp.json'));
  await expect(planInstall(client, fileOf('.mcp.json'), { name: 'board', entry, folder })).rejects.toThrow(
    `${join(folder, '.mcp.json')} is a link to ${precious}, outside of this folder, so it was not changed. Add this yourself:`,
  );
  expect(readFileSync(precious, 'utf8')).toBe('{"kept": true}');
});

it('keeps comments, the permissions and a link within the project, and a copy of the file', async () => {
  const before = '{\n  // mine\n  "kept": true, // too\n}\n';
  writeFileSync(join(folder, 'real.json'), before, { mode: 0o640 });
  symlinkSync('real.json', join(folder, '.mcp.json'));
  const copy = (await planInstall(client, fileOf('.mcp.json'), { name: 'board', entry, folder })).write();
  expect(readFileSync(join(folder, 'real.json'), 'utf8')).toBe(
    `{\n  // mine\n  "kept": true,\n  "mcpServers": ${JSON.stringify({ board: server }, undefined, 2).replaceAll('\n', '\n  ')}, // too\n}\n`,
  );
  expect(statSync(join(folder, 'real.json')).mode & 0o777).toBe(0o640);
  expect(copy).toBe(join(folder, '.mcp.json.pegboard-backup'));
  expect(readFileSync(copy ?? '', 'utf8')).toBe(before);
});

it('makes a new file that only the user reads', async () => {
  const fresh = fileOf('fresh.json');
  (await planInstall(client, fresh, { name: 'board', entry, folder })).write();
  expect(statSync(fresh.path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(fresh.path, 'utf8'))).toEqual({ mcpServers: { board: server } });
});
