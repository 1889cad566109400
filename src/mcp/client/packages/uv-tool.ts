import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { StdioCommand } from '../server-settings.ts';
import { isProgram } from './package-program.ts';

const NAME = /^([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?:@(\d[\w.+!]*))?$/i;

/**
 * Returns the program of a tool that uv installed (`uv tool install`), for `uvx NAME` and `uv tool run NAME`; `undefined` for other
 * commands, and for tools or versions that uv does not have.
 */
export function findUvTool({ file, args, cwd, env }: StdioCommand): StdioCommand | undefined {
  const program = basename(file);
  const isRun = program === 'uv' && args[0] === 'tool' && args[1] === 'run';
  // Folders of tools look different on Windows.
  if ((program !== 'uvx' && !isRun) || process.platform === 'win32') return undefined;
  const [word = '', ...rest] = isRun ? args.slice(2) : args;
  const [, name, version] = NAME.exec(word) ?? [];
  if (name === undefined) return undefined;
  const share = env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local/share');
  const folder = join(env['UV_TOOL_DIR'] || join(share, 'uv/tools'), plain(name));
  const bin = join(folder, 'bin');
  const found = join(bin, name);
  // uv writes the receipt when a tool is complete.
  if (!existsSync(join(folder, 'uv-receipt.toml')) || !isProgram(found)) return undefined;
  if (version !== undefined && !hasVersion(folder, { name, version })) return undefined;
  const path = [bin, env['PATH'] ?? ''].filter((part) => part !== '').join(delimiter);
  return { file: found, args: rest, cwd, env: { ...env, PATH: path } };
}

function hasVersion(folder: string, { name, version }: { readonly name: string; readonly version: string }): boolean {
  return list(join(folder, 'lib')).some((python) =>
    list(join(folder, 'lib', python, 'site-packages')).some((entry) => {
      const [, distribution = '', installed] = /^(.+)-([^-]+)\.dist-info$/.exec(entry) ?? [];
      return plain(distribution) === plain(name) && installed === version;
    }),
  );
}

/** The name of a Python package as folders have it. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
