import { expect, it } from 'vitest';
import type { ClientName } from './client-names.ts';
import { MCP_CLIENTS, type Machine } from './clients.ts';

const paths = (client: ClientName, machine: Partial<Machine>): string[] =>
  MCP_CLIENTS[client].files({ platform: 'linux', home: '/h', cwd: '/p', env: {}, ...machine }).map(({ path }) => path);

it('knows where clients keep their files on each system', () => {
  expect(paths('claude', {})).toEqual(['/h/.config/Claude/claude_desktop_config.json']);
  expect(paths('claude', { platform: 'darwin' })).toEqual([
    '/h/Library/Application Support/Claude/claude_desktop_config.json',
  ]);
  expect(paths('claude', { platform: 'win32', env: { APPDATA: '/roaming' } })).toEqual([
    '/roaming/Claude/claude_desktop_config.json',
  ]);
  expect(paths('vscode', { env: { XDG_CONFIG_HOME: '/x' } })[0]).toBe('/x/Code/User/mcp.json');
  expect(paths('zed', { platform: 'darwin' })).toEqual(['/h/.config/zed/settings.json', '/p/.zed/settings.json']);
  expect(paths('codex', { env: { CODEX_HOME: '/c' } })).toEqual(['/c/config.toml', '/p/.codex/config.toml']);
});
