import { describe, expect, it } from 'vitest';
import { describeExit } from './describe-exit.ts';
import { createOutputStore } from '../outputs/output-store.ts';
import { runProcess } from './run-process.ts';
import { env, expectExit, temporaryFolder } from './spawners.test-helper.ts';

const folder = temporaryFolder();
const describeScript = async (script: string): Promise<string> =>
  describeExit(await runProcess({ file: 'sh', args: ['-c', script], env }));

describe('describeExit', () => {
  it('is stdout when the command succeeds', async () => {
    expect(await describeScript('echo out; echo err >&2')).toBe('out\n');
  });

  it('adds stderr and the exit code when it fails', async () => {
    expect(await describeScript('echo out; echo err >&2; exit 2')).toBe('out\n\n[stderr]\nerr\n\n[exit code: 2]');
    expect(await describeScript('exit 1')).toBe('[exit code: 1]');
    expect(await describeScript('kill -9 $$')).toBe('[killed by SIGKILL]');
  });

  it('says when there is nothing, or nothing to read', async () => {
    expect(await describeScript('true')).toBe('(no output)');
    expect(await describeScript(String.raw`printf '\000\001'`)).toBe('[binary output: 2 bytes]');
    expect(describeExit(await runProcess({ file: './gone', args: [], env, cwd: folder }))).toBe(
      `The command "./gone" does not exist in "${folder}". Install it, or correct its path.`,
    );
  });

  it('removes terminal sequences', async () => {
    expect(await describeScript(String.raw`printf '\033[31mred\033[0m\n'`)).toBe('red\n');
  });

  it('says how much is left out and where it is', async () => {
    const store = createOutputStore({ folder });
    const capture = { limit: 8, spill: store };
    const exit = expectExit(await runProcess({ file: 'seq', args: ['1', '1000'], env, capture }));
    const id = exit.stdout.type === 'shortened' ? exit.stdout.stored?.id : undefined;
    expect(describeExit(exit)).toBe(
      `1\n2\n3\n\n[3,885 of 3,893 bytes left out here; read it with output_read or output_search, id "${id}"]\n0\n`.replace(
        '\n0\n',
        '\n0\n',
      ),
    );
    store.close();
  });
});
