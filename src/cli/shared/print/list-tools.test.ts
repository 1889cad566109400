import { describe, expect, it } from 'vitest';
import { Redactor } from '../../../guard/secrets/redactor.ts';
import type { ToolMetadata } from '../../../tool/tool-metadata.ts';
import type { CliContext } from '../cli-context.ts';
import { createTestContext } from '../cli-context.test-helper.ts';
import { listTools } from './list-tools.ts';
import { printAnswer } from './print-answer.ts';

const TOOLS = [
  {
    name: 'log',
    description: 'Show the log, whose description goes on and on until it is too long',
    source: 'git',
    risk: 'read',
  },
  { name: 'push', description: 'Push with hunter2', source: 'git', risk: 'write' },
  { name: 'ps', description: 'Old', source: 'docker', deprecated: true },
] as const;

function show(tools: readonly ToolMetadata[], redactor: Redactor, context: CliContext): void {
  printAnswer({ data: tools, view: (style, width) => listTools(tools, redactor, { style, width }) }, false, context);
}

describe('listTools', () => {
  it('groups by source and counts on a terminal, in its width', () => {
    const context = createTestContext({ isTTY: true, env: { NO_COLOR: '1' } });
    show(TOOLS, new Redactor(['hunter2']), context);
    expect(context.printed().stdout).toBe(`git
  log   read   Show the log, whose description goes on and
               on until it is too long
  push  write  Push with [redacted]

docker
  ps  write (assumed)  (deprecated) Old

3 tools from 2 sources
`);
  });

  it('colours a terminal that supports it', () => {
    const context = createTestContext({ isTTY: true });
    show(TOOLS.slice(2), new Redactor(), context);
    expect(context.printed().stdout).toContain('\u001B[36mps\u001B[39m');
  });

  it('separates fields by tabs elsewhere', () => {
    const context = createTestContext();
    show(TOOLS.slice(1), new Redactor(['hunter2']), context);
    expect(context.printed().stdout).toBe('push\tgit\twrite\tPush with [redacted]\nps\tdocker\twrite (assumed)\tOld\n');
  });
});
