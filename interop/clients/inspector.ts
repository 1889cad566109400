import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Connection, InteropClient, Target } from '../client.ts';
import type { Way } from '../features.ts';

type Era = 'legacy' | 'modern';

const base = {
  package: '@modelcontextprotocol/inspector',
  ways: ['stdio', 'http'],
  lacks: {
    progress: 'The command shows no progress.',
    cancel: 'The command has no way to cancel a call.',
    elicitation: 'The command lets no one answer questions.',
    tasks: 'The command has no way to ask for a task.',
  },
} as const;

/** The command line of MCP Inspector, stateless. */
export const inspector: InteropClient = {
  ...base,
  name: 'MCP Inspector CLI',
  open: (target, way) => Promise.resolve(openInspector(target, way, 'modern')),
};

/** The command line of MCP Inspector, with the handshake of earlier revisions. */
export const inspectorLegacy: InteropClient = {
  ...base,
  name: 'MCP Inspector CLI, with a handshake',
  open: (target, way) => Promise.resolve(openInspector(target, way, 'legacy')),
};

/** Each request is a run of the command. */
function openInspector({ folder, command, args, url, headers }: Target, way: Way, era: Era): Connection {
  const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
  const launcher = join(dirname(packageFile), 'clients/launcher/build/index.js');
  const shown = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const target = way === 'stdio' ? [command, ...args] : [url, ...shown];
  const run = async (...request: string[]): Promise<Record<string, Record<string, string>[]>> => {
    const options = ['--protocol-era', era, '--format', 'json', '--quiet', ...request];
    const env = { ...process.env, HOME: folder };
    const limits = { env, maxBuffer: 64 << 20, timeout: 100_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, '--cli', ...target, ...options], limits);
    const { result, ...rest } = JSON.parse(stdout);
    return result ?? rest;
  };
  const list = async (method: string, field: string): Promise<string[]> => {
    const items = Object.values(await run('--method', method)).find((each) => Array.isArray(each)) ?? [];
    return items.map((item) => item[field] ?? '');
  };
  return {
    protocol: () => (era === 'modern' ? '2026-07-28' : '2025-11-25'),
    tools: () => list('tools/list', 'name'),
    call: (name, input) =>
      run('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(input)),
    resources: () => list('resources/list', 'uri'),
    templates: () => list('resources/templates/list', 'uriTemplate'),
    read: (uri) => run('--method', 'resources/read', '--uri', uri),
    prompts: () => list('prompts/list', 'name'),
    prompt: (name, input) => {
      const pairs = Object.entries(input).map(([key, value]) => `${key}=${value}`);
      return run('--method', 'prompts/get', '--prompt-name', name, '--prompt-args', ...pairs);
    },
    close: () => Promise.resolve(),
  };
}
