import { describe, expect, it } from 'vitest';
import { Redactor } from '../../guard/secrets/redactor.ts';
import { createTestContext } from '../cli-context.test-helper.ts';
import { printTools } from './list-tools.ts';

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

describe('printTools', () => {
  it('groups by source and counts on a terminal, in its width', () => {
    const context = createTestContext({ isTTY: true, env: { NO_COLOR: '1' } });
    printTools(TOOLS, new Redactor(['hunter2']), context);
    expect(context.printed().stdout).toBe(`git
  log   read   Show the log, whose description goes on and
               on until it is too long
  push  write  Push with [redacted]

docker
  ps  write (assumed)  (deprecated) Old

3 tools from 2 sources
`);
  });

  it('colours a terminal that wants it', () => {
    const context = createTestContext({ isTTY: true });
    printTools(TOOLS.slice(2), new Redactor(), context);
    expect(context.printed().stdout).toContain('\u001B[36mps\u001B[39m');
  });

  it('separates fields by tabs elsewhere', () => {
    const context = createTestContext();
    printTools(TOOLS.slice(1), new Redactor(['hunter2']), context);
    expect(context.printed().stdout).toBe('push\tgit\twrite\tPush with [redacted]\nps\tdocker\twrite (assumed)\tOld\n');
  });
});
