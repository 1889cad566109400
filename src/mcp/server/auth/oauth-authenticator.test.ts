import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createOAuthAuthenticator } from './oauth-authenticator.ts';

const keys = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const AUDIENCE = 'https://board.example/mcp';
let issuer = '';
let fetches = 0;
/** The issuer that the metadata speaks for, where that is another. */
let named: string | undefined;
/** Further keys of the issuer, as it lists them. */
let further: readonly object[] = [];

const authority = createServer((request, response) => {
  fetches++;
  const found = request.url === '/keys';
  if (request.url === '/.well-known/openid-configuration')
    response.end(JSON.stringify({ issuer: named ?? issuer, jwks_uri: `${issuer}/keys` }));
  else if (found) {
    const list = Object.entries(keys).map(([alg, { publicKey }]) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: alg,
    }));
    response.end(JSON.stringify({ keys: [...list, ...further, { kty: 'oct', k: 'AAAA', kid: 'HS256' }, 'nonsense'] }));
  } else response.writeHead(404).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(authority.address() as AddressInfo).port}`;
});
afterAll(() => void authority.close());

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function createJwt(claims: object, header: { alg: string; kid?: string }, key?: KeyObject): string {
  const content = `${encode(header)}.${encode(claims)}`;
  if (key === undefined) return `${content}.`;
  const digest = header.alg === 'EdDSA' ? null : 'sha256';
  return `${content}.${sign(digest, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const seconds = () => Date.now() / 1000;
const claims = (more: object = {}) => ({
  iss: issuer,
  aud: AUDIENCE,
  exp: seconds() + 60,
  sub: 'ada',
  scope: 'tools:read other',
  ...more,
});

function createAuthenticator(more: { requiredScopes?: string[]; jwksUrl?: string } = {}) {
  return createOAuthAuthenticator({
    issuer,
    audience: AUDIENCE,
    access: (scopes) => ({ key: scopes.join(' '), allows: () => true }),
    ...more,
  });
}

/** A request, as far as the authenticator looks at it. */
const requestWith = (token?: string): IncomingMessage =>
  ({ headers: { host: 'board.example', authorization: token && `Bearer ${token}` }, socket: {} }) as never;

describe('createOAuthAuthenticator', () => {
  it('takes tokens that name no client and no user for different callers', async () => {
    const authenticator = createAuthenticator();
    const ids = await Promise.all(
      ['a', 'b'].map(async (jti) => {
        const token = createJwt(claims({ sub: undefined, jti }), { alg: 'EdDSA', kid: 'EdDSA' }, keys.EdDSA.privateKey);
        const caller = await authenticator.authenticate(requestWith(token));
        return 'id' in caller ? caller.id : '';
      }),
    );
    expect(ids).not.toContain('');
    expect(new Set(ids).size).toBe(2);
  });

  it('refuses tokens with extensions that it must know and does not', async () => {
    const header = { alg: 'EdDSA', kid: 'EdDSA', crit: ['exp2'] };
    const token = createJwt(claims(), header, keys.EdDSA.privateKey);
    expect(await createAuthenticator().authenticate(requestWith(token))).toMatchObject({ status: 401 });
  });

  it.for(['RS256', 'ES256', 'EdDSA'] as const)(
    'lets in a token signed with %s, and asks for the keys once',
    async (alg) => {
      const authenticator = createAuthenticator();
      const token = createJwt(claims(), { alg, kid: alg }, keys[alg].privateKey);
      const before = fetches;
      const caller = await authenticator.authenticate(requestWith(token));
      expect(caller).toMatchObject({
        id: `oauth:${JSON.stringify([issuer, 'ada', null])}`,
        access: { key: 'tools:read other' },
      });
      expect(await authenticator.authenticate(requestWith(token))).toBe(caller);
      expect(fetches - before).toBe(3);
    },
  );

  it('takes two clients of one subject for two callers and one user', async () => {
    const authenticator = createAuthenticator();
    const [one, other, stranger] = await Promise.all(
      [{ client_id: 'editor' }, { client_id: 'terminal' }, { sub: 'bob', client_id: 'editor' }].map(async (more) =>
        authenticator.authenticate(
          requestWith(createJwt(claims(more), { alg: 'ES256', kid: 'ES256' }, keys.ES256.privateKey)),
        ),
      ),
    );
    const user = `oauth:${JSON.stringify([issuer, 'ada'])}`;
    expect([one, other]).toMatchObject([
      { id: `oauth:${JSON.stringify([issuer, 'ada', 'editor'])}`, user },
      { id: `oauth:${JSON.stringify([issuer, 'ada', 'terminal'])}`, user },
    ]);
    expect(stranger).toMatchObject({ user: `oauth:${JSON.stringify([issuer, 'bob'])}` });
  });

  it.for([
    ['of another issuer', { iss: 'https://evil.example' }, 'another issuer made it'],
    ['for another server', { aud: 'https://other.example' }, 'it is for another server'],
    ['for no server', { aud: undefined }, 'it is for another server'],
    ['that has expired', { exp: 1000 }, 'it has expired'],
    ['that never expires', { exp: undefined }, 'it has expired'],
    ['of tomorrow', { nbf: Date.now() / 1000 + 86_400 }, 'it is not valid yet'],
  ] as const)('refuses a token %s', async ([, more, reason]) => {
    const token = createJwt(claims(more), { alg: 'ES256', kid: 'ES256' }, keys.ES256.privateKey);
    expect(await createAuthenticator().authenticate(requestWith(token))).toEqual({
      status: 401,
      message: `The token was refused: ${reason}.`,
      wwwAuthenticate: `Bearer resource_metadata="http://board.example/.well-known/oauth-protected-resource", error="invalid_token", error_description="${reason}"`,
    });
  });

  it('refuses what the issuer did not sign, also when the header claims it', async () => {
    const authenticator = createAuthenticator();
    const good = createJwt(claims(), { alg: 'ES256', kid: 'ES256' }, keys.ES256.privateKey);
    const [header, , signature] = good.split('.');
    const tokens = [
      createJwt(claims(), { alg: 'none' }),
      createJwt(claims(), { alg: 'HS256', kid: 'HS256' }),
      createJwt(claims(), { alg: 'ES256', kid: 'ES256' }, stranger.privateKey),
      createJwt(claims(), { alg: 'ES256', kid: 'RS256' }, keys.ES256.privateKey),
      `${header}.${encode(claims({ sub: 'root' }))}.${signature}`,
      `${header}.${signature}`,
      'nonsense',
      'a.b.c',
      `${'x'.repeat(20_000)}.y.z`,
    ];
    for (const token of tokens)
      expect(await authenticator.authenticate(requestWith(token))).toMatchObject({ status: 401 });
  });

  it('asks for scopes that are missing', async () => {
    const authenticator = createAuthenticator({ requiredScopes: ['tools:write'] });
    const token = createJwt(claims(), { alg: 'EdDSA', kid: 'EdDSA' }, keys.EdDSA.privateKey);
    expect(await authenticator.authenticate(requestWith(token))).toMatchObject({
      status: 403,
      wwwAuthenticate: expect.stringContaining('error="insufficient_scope", scope="tools:write"'),
    });
    expect(await authenticator.authenticate(requestWith())).toMatchObject({
      status: 401,
      wwwAuthenticate: expect.stringContaining('scope="tools:write"'),
    });
    expect(authenticator.metadata?.(requestWith())).toEqual({
      resource: AUDIENCE,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['tools:write'],
    });
  });

  it('does not let tokens with unknown keys make it ask all the time', async () => {
    const authenticator = createAuthenticator({ jwksUrl: `${issuer}/keys` });
    const before = fetches;
    for (let count = 0; count < 5; count++) {
      const token = createJwt(claims(), { alg: 'ES256', kid: `made-up-${count}` }, stranger.privateKey);
      expect(await authenticator.authenticate(requestWith(token))).toMatchObject({ status: 401 });
    }
    expect(fetches - before).toBe(1);
  });

  it('finds the key of a token that names none, among several that fit', async () => {
    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    further = [another.publicKey.export({ format: 'jwk' })];
    const authenticator = createAuthenticator();
    for (const { privateKey } of [keys.ES256, another]) {
      const token = createJwt(claims(), { alg: 'ES256' }, privateKey);
      expect(await authenticator.authenticate(requestWith(token))).toHaveProperty('id');
    }
    const outcome = (more: object, { privateKey }: { privateKey: KeyObject }) =>
      authenticator.authenticate(requestWith(createJwt(claims(more), { alg: 'ES256' }, privateKey)));
    expect(await outcome({}, stranger)).toMatchObject({ status: 401, message: expect.stringContaining('signed it') });
    expect(await outcome({ exp: 1 }, another)).toMatchObject({ message: 'The token was refused: it has expired.' });
    further = [];
  });

  it('learns of a new key with the first token that it signed, when the last look is a while ago', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const authenticator = createAuthenticator();
      const attempt = async (kid: string, { privateKey }: { privateKey: KeyObject }) =>
        authenticator.authenticate(requestWith(createJwt(claims(), { alg: 'ES256', kid }, privateKey)));
      expect(await attempt('ES256', keys.ES256)).toHaveProperty('id');
      further = [{ ...stranger.publicKey.export({ format: 'jwk' }), kid: 'new' }];
      expect(await attempt('new', stranger)).toMatchObject({ status: 401 });
      vi.setSystemTime(Date.now() + 31_000);
      expect(await attempt('new', stranger)).toHaveProperty('id');
      further = [];
      vi.setSystemTime(Date.now() + 601_000);
      expect(await attempt('new', stranger)).toMatchObject({ status: 401 });
    } finally {
      further = [];
      vi.useRealTimers();
    }
  });

  it('stops taking a token that it knows once the issuer no longer has its key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      further = [{ ...stranger.publicKey.export({ format: 'jwk' }), kid: 'leaked' }];
      const authenticator = createAuthenticator();
      const far = claims({ exp: seconds() + 10 * 365 * 86_400 });
      const token = createJwt(far, { alg: 'ES256', kid: 'leaked' }, stranger.privateKey);
      expect(await authenticator.authenticate(requestWith(token))).toHaveProperty('id');
      further = [];
      vi.setSystemTime(Date.now() + 601_000);
      expect(await authenticator.authenticate(requestWith(token))).toMatchObject({ status: 401 });
    } finally {
      further = [];
      vi.useRealTimers();
    }
  });

  it.for([{ jkt: 'x' }, { 'x5t#S256': 'x' }, 'odd'])(
    'refuses a token that is bound to a key, which whoever stole it does not have: %o',
    async (cnf) => {
      const token = createJwt(claims({ cnf }), { alg: 'EdDSA', kid: 'EdDSA' }, keys.EdDSA.privateKey);
      expect(await createAuthenticator().authenticate(requestWith(token))).toMatchObject({
        status: 401,
        message: 'The token was refused: it is bound to a key (cnf), and this server takes bearer tokens only.',
      });
    },
  );

  it('takes no key that is too weak, or that is for encryption', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    further = [
      { ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak' },
      { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'enc', use: 'enc' },
    ];
    const authenticator = createAuthenticator();
    for (const token of [
      createJwt(claims(), { alg: 'RS256', kid: 'weak' }, weak.privateKey),
      createJwt(claims(), { alg: 'ES256', kid: 'enc' }, stranger.privateKey),
    ])
      expect(await authenticator.authenticate(requestWith(token))).toMatchObject({
        status: 401,
        message: "The token was refused: none of the issuer's keys signed it.",
      });
    further = [];
  });

  it('takes clocks for right that differ by less than half a minute', async () => {
    const outcome = (more: object) =>
      createAuthenticator().authenticate(
        requestWith(createJwt(claims(more), { alg: 'EdDSA', kid: 'EdDSA' }, keys.EdDSA.privateKey)),
      );
    expect(await outcome({ exp: seconds() - 20 })).toHaveProperty('id');
    expect(await outcome({ nbf: seconds() + 20 })).toHaveProperty('id');
    expect(await outcome({ exp: seconds() - 40 })).toMatchObject({ status: 401 });
    expect(await outcome({ nbf: seconds() + 60 })).toMatchObject({ status: 401 });
  });

  it('takes no keys from metadata that speaks for another issuer', async () => {
    const token = createJwt(claims(), { alg: 'ES256', kid: 'ES256' }, keys.ES256.privateKey);
    for (named of ['https://evil.example', `${issuer}/`]) {
      await expect(createAuthenticator().authenticate(requestWith(token))).rejects.toThrow(
        `${issuer}/.well-known/openid-configuration speaks for "${named}", and serve.oauth.issuer is "${issuer}". They must be the same.`,
      );
    }
    named = undefined;
    expect(await createAuthenticator().authenticate(requestWith(token))).toHaveProperty('id');
  });

  it('leaves an authorization server in trouble alone for a moment', async () => {
    const before = fetches;
    let now = Date.now();
    const authenticator = createOAuthAuthenticator({
      issuer,
      audience: AUDIENCE,
      jwksUrl: `${issuer}/broken`,
      access: () => ({ key: '', allows: () => true }),
      now: () => now,
    });
    const attempt = async () =>
      authenticator.authenticate(requestWith(createJwt(claims(), { alg: 'ES256' }, stranger.privateKey)));
    await Promise.allSettled([attempt(), attempt(), attempt()]);
    for (let count = 0; count < 5; count++) await expect(attempt()).rejects.toThrow();
    expect(fetches - before).toBe(1);
    now += 5_000;
    await expect(attempt()).rejects.toThrow('404');
  });
});
