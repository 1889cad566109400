import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readLastWords } from './explain-unavailable.ts';
import type { ServerAddress } from './server-settings.ts';

function addressOf(file: string, ...args: readonly string[]): Extract<ServerAddress, { type: 'stdio' }> {
  return { type: 'stdio', named: [], file, args, cwd: '/', env: {} };
}

/** Reads the last lines of a Node program that ends. */
function run(...args: readonly string[]) {
  const said = spawnSync(process.execPath, args, { encoding: 'utf8' })
    .stderr.split('\n')
    .filter((line) => line !== '');
  return readLastWords(addressOf(process.execPath, ...args), { said, reason: 'it ended with exit code 1' });
}

describe('readLastWords', () => {
  it('says which file is not there, without what Node prints around it', () => {
    expect(run('/nowhere/server.js')).toEqual({
      lines: ["Error: Cannot find module '/nowhere/server.js'"],
      hint: 'The file /nowhere/server.js is not there: correct args of its entry.',
    });
    expect(run('-e', 'require("not-installed")').hint).toBe('It lacks not-installed: install what the server needs.');
    expect(run('--input-type=module', '-e', 'import "not-installed"').hint).toBe(
      'It lacks not-installed: install what the server needs.',
    );
  });

  it('quotes what a program says', () => {
    expect(run('-e', 'throw new Error("the database is locked")')).toEqual({
      lines: ['Error: the database is locked'],
      hint: 'It said: Error: the database is locked',
    });
    expect(run('-e', 'console.error("bye")').hint).toBe('It said: bye');
    expect(run('-e', '')).toEqual({ lines: [], hint: undefined });
  });

  it('names the variable that is missing, unless it is set', () => {
    const said = ['Error: GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required'];
    const hint = (env: Record<string, string>) =>
      readLastWords({ ...addressOf('x'), env }, { said, reason: 'it ended' }).hint;
    expect(hint({})).toBe('Set GITHUB_PERSONAL_ACCESS_TOKEN under env of its entry.');
    expect(hint({ GITHUB_PERSONAL_ACCESS_TOKEN: 'x' })).toBe(`It said: ${said[0]}`);
  });

  it('knows what npm, Python and a missing program mean', () => {
    const hint = (address: ServerAddress, reason: string, ...said: string[]) =>
      readLastWords(address, { said, reason }).hint;
    const npx = addressOf('npx', '-y', '@me/nothing');
    expect(hint(npx, 'it ended', 'npm error code E404', 'npm error 404 Not Found - GET https://r/x')).toBe(
      'npm knows no package @me/nothing: check its name.',
    );
    expect(hint(npx, 'it ended', 'npm error code ENOTFOUND', 'npm error network')).toContain(
      'cannot reach its registry',
    );
    expect(hint(npx, 'it was not ready within 30 s (start_timeout)')).toContain('npx may still have been fetching it');
    expect(hint(addressOf('python3'), 'it ended', "ModuleNotFoundError: No module named 'mcp'")).toBe(
      'Python has no module mcp: install it, or start the server with uvx.',
    );
    expect(hint(addressOf('uvx'), 'The command "uvx" was not found in PATH. Install it')).toBe(
      'It comes with uv: https://docs.astral.sh/uv.',
    );
    expect(hint({ type: 'http', url: 'https://x', headers: {}, oauth: undefined }, 'no')).toBeUndefined();
  });
});
