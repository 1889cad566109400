import { expect, it } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

it('puts variables in the place of secrets, and leaves what is none', () => {
  const { entry, secrets } = hideSecrets(
    'my-desk',
    {
      command: 'run',
      args: [
        '--api-key',
        'k1234567',
        '--token=t1234567',
        '-e',
        'DB_PASSWORD=p1234567',
        '--header',
        'X-Key: h1234567',
        '--max-tokens',
        '4096',
        '--verbose',
      ],
      env: { AUTH_ENABLED: 'true', API_KEY: '${MINE}', SECRET: 's1234567', CERT_KEY: import.meta.filename },
    },
    new Map(),
  );
  expect(entry.args).toEqual([
    '--api-key',
    '${MY_DESK_API_KEY}',
    '--token=${MY_DESK_TOKEN}',
    '-e',
    'DB_PASSWORD=${DB_PASSWORD}',
    '--header',
    'X-Key: ${MY_DESK_X_KEY}',
    '--max-tokens',
    '4096',
    '--verbose',
  ]);
  expect(entry.env).toEqual({
    AUTH_ENABLED: 'true',
    API_KEY: '${MINE}',
    SECRET: '${SECRET}',
    CERT_KEY: import.meta.filename,
  });
  expect(secrets.map(({ value }) => value)).toEqual(['k1234567', 't1234567', 'p1234567', 'h1234567', 's1234567']);
});

it('gives one variable to one value, and another to another', () => {
  const taken = new Map<string, string>();
  const hide = (server: string, value: string): unknown =>
    hideSecrets(server, { command: 'x', env: { TOKEN: value } }, taken).entry.env?.['TOKEN'];
  expect([hide('a', 'one-secret'), hide('b', 'one-secret'), hide('c', 'two-secret')]).toEqual([
    '${TOKEN}',
    '${TOKEN}',
    '${C_TOKEN}',
  ]);
});

it('finds secrets in addresses and headers', () => {
  const { entry } = hideSecrets(
    'x',
    {
      url: 'https://me:pass1234@x.example.com/mcp?api_key=abc%2Fdef123&region=eu',
      headers: { authorization: 'Basic bWU6cGFzcw==', 'x-region': 'eu' },
    },
    new Map(),
  );
  expect(entry.url).toBe('https://me:${X_PASSWORD}@x.example.com/mcp?api_key=${X_API_KEY}&region=eu');
  expect(entry.headers).toEqual({ authorization: 'Basic ${X_TOKEN}', 'x-region': 'eu' });
});
