import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../../index.ts';
import { readSecret } from './read-secret.ts';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'pegboard-secrets-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

function program(place: string, name: string, script: string): void {
  writeFileSync(join(place, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(place, name), 0o755);
}

it('reads files, variables, keychains and commands, and says how to fix failures', () => {
  const place = folder();
  const env = { PATH: `${place}:/usr/bin:/bin`, PIN: 'a-pin-9876' };
  const read = (source: Readonly<Record<string, unknown>>, platform: NodeJS.Platform = 'linux'): unknown => {
    const given = readSecret(source, { env, folder: place, platform });
    return given.ok ? given.value : given.reason;
  };
  writeFileSync(join(place, 'token'), 'from-a-file\n');
  program(place, 'secret-tool', 'test "$*" = "lookup service db account app" && echo of-libsecret');
  program(place, 'security', 'test "$*" = "find-generic-password -s db -a app -w" && echo of-the-mac');
  program(place, 'leaky', 'echo half-of-a-secret; echo other-half >&2; exit 3');
  expect(read({ file: 'token' })).toBe('from-a-file');
  expect(read({ file: 'none' })).toBe('the file "none" cannot be read (ENOENT: no such file or directory). Create it');
  expect(read({ env: 'PIN' })).toBe('a-pin-9876');
  expect(read({ env: 'NONE' })).toBe('the variable NONE is not set in the environment. Set it');
  expect(read({ keychain: { service: 'db', account: 'app' } })).toBe('of-libsecret');
  expect(read({ keychain: { service: 'db', account: 'app' } }, 'darwin')).toBe('of-the-mac');
  expect(read({ keychain: { service: 'db', account: 'no' } })).toBe(
    'the keychain has none for service "db", account "no", or is locked. Add it: secret-tool store --label db service db account no',
  );
  expect(read({ command: ['printf', 'a b'] })).toBe('a b');
  expect(read({ command: ['leaky'] })).toBe('"leaky" ended with 3. Run the command at a terminal to see why');
  expect(read({ command: ['no-such-program'] })).toBe(
    'there is no program "no-such-program". Install it, or correct the command',
  );
  expect(read({ command: ['true'] })).toBe('"true" printed nothing. Run the command at a terminal to see why');
});

it('runs a command again only after its cache time', () => {
  const place = folder();
  const env = { PATH: '/usr/bin:/bin' };
  let time = 0;
  program(place, 'count', `echo x >> ${place}/log; wc -l < ${place}/log`);
  const read = (more: object = {}): string => {
    const source = { command: [join(place, 'count')], ...more };
    const given = readSecret(source, { env, folder: place, now: () => time });
    return given.ok ? given.value.trim() : given.reason;
  };
  expect([read(), read()]).toEqual(['1', '1']);
  time = 299_999;
  expect(read()).toBe('1');
  time = 300_000;
  expect([read(), read()]).toEqual(['2', '2']);
  expect([read({ cache: 0 }), read({ cache: '1h' })]).toEqual(['3', '3']);
});

it('redacts the value from results, records and errors under any variable name', async () => {
  const place = folder();
  const file = join(place, 'pegboard.yaml');
  const variables = {
    GREETING: { secret: { command: ['printf', 'open-sesame-1'] } },
    BROKEN: { secret: { command: ['false'] } },
  };
  const tools = [
    { name: 'say', type: 'cli', description: 'Say', risk: 'read', command: 'echo ${GREETING}' },
    { name: 'off', type: 'cli', description: 'Off', risk: 'read', command: 'echo ${BROKEN}' },
  ];
  writeFileSync(file, JSON.stringify({ record: 'full', variables, tools }));
  const board = await openBoard(file, { cwd: place });
  onTestFinished(() => board.close());
  expect((await board.call('say')).text.trim()).toBe('[redacted]');
  expect(board.redact('<open-sesame-1>')).toBe('<[redacted]>');
  await expect.poll(async () => JSON.stringify(await board.calls.list({}))).toContain('say');
  expect(JSON.stringify(await board.calls.list({}))).not.toContain('open-sesame');
  expect(board.diagnostics.map(({ message }) => message)).toContain(
    'the secret BROKEN cannot be read, so the tool "off" is off: "false" ended with 1. Run the command at a terminal to see why.',
  );
  expect((await board.call('off')).error?.code).toBe('not_found');
});
