import { describe, expect, it } from 'vitest';
import { loadFile } from '../load/load-file.ts';
import type { DescribedLine } from './kind.ts';

async function describeAll(yaml: string): Promise<DescribedLine[]> {
  const { entries, diagnostics } = loadFile(Buffer.from(yaml), 'x.yaml', { env: { TOKEN: 'hunter2hunter2' } });
  expect(diagnostics).toEqual([]);
  const lines = await Promise.all(entries.map(async (entry) => entry.kind.describe?.(entry) ?? []));
  return lines.flat();
}

describe('descriptions of entries by their kinds', () => {
  it('shows a command line with placeholders for its arguments', async () => {
    const yaml = `
tools:
  - name: t
    type: cli
    description: T
    command: [git, log, 'a b']
    env: { TOKEN: '\${TOKEN}' }
    env_pass: [SSH_AUTH_SOCK]
    working_dir: /srv
    sandbox: bwrap
    limits: { cpu: 20s, memory: 512MB, processes: 5, file_size: 1000 }
    output: json
    args:
      - { name: path, positional: true }
      - { name: max_count, type: integer, default: 3 }
      - { name: author, required: true, flag: -a }
      - { name: since, flag: '--since=' }
      - { name: pretty, style: separate }
      - { name: quiet, type: boolean }
      - { name: body, stdin: true }
`;
    expect(await describeAll(yaml)).toEqual([
      [
        'command',
        'git log "a b" [<path>] --max-count=<max_count> -a <author> [--since=<since>] [--pretty <pretty>] [--quiet]',
      ],
      ['stdin', '<body>'],
      ['cwd', '/srv'],
      ['env', 'TOKEN, SSH_AUTH_SOCK'],
      ['sandbox', 'bwrap'],
      ['limits', '20 s of CPU time, 512 MB of memory, 5 processes, 1000 bytes a file'],
      ['output', 'json'],
    ]);
  });

  it('shows commands and requests with their templates, headers by name', async () => {
    const yaml = `
tools:
  - name: r
    type: run
    description: R
    schema: { properties: { x: { type: string }, deep: { type: boolean } } }
    commands: [{ cmd: ls, args: ['{{x}}', { name: -R, when: '{{deep}}' }] }]
  - name: h
    type: http
    description: H
    schema: { properties: { x: { type: string } } }
    requests:
      - method: post
        url: https://example.com/{{x}}
        query: { page: 1, api_key: '\${TOKEN}' }
        headers: { authorization: 'Bearer \${TOKEN}' }
        body: { x: '{{x}}' }
`;
    expect(await describeAll(yaml)).toEqual([
      ['command', 'ls {{x}} [-R when {{deep}}]'],
      ['retries', '2, of what only reads'],
      ['request', 'POST https://example.com/{{x}}'],
      ['query', 'page=1&api_key=[redacted]'],
      ['headers', 'authorization'],
      ['body', '{"x":"{{x}}"}'],
    ]);
  });
});
