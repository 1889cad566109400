import { expect, it } from 'vitest';
import { openClient, startServer } from '../http/loopback-server.test-helper.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { beginBrowserLogin } from './log-in-browser.ts';
import { requestToken } from './oauth-client.ts';
import { createOAuthHttp } from './oauth-http.ts';

const CLIENT = { id: 'desk', secret: undefined, method: undefined };

function issuerAt(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    deviceEndpoint: undefined,
    registrationEndpoint: undefined,
    issuerScopes: [],
    authMethods: [],
    challengeMethods: ['S256'],
    takesMetadataUrl: false,
    sendsIssuer: false,
    givesDpop: false,
  };
}

it.each([
  ['a line break', 'token\r\nx-evil: 1'],
  ['a letter beyond ASCII', 'token-€'],
  ['nothing', ''],
  ['900,000 characters', 'x'.repeat(900_000)],
])('refuses a token of %s, with which no request could be sent', async (_, token) => {
  const { origin } = await startServer((_request, response) => response.end(JSON.stringify({ access_token: token })));
  const request = {
    http: createOAuthHttp([origin], () => openClient().connect()),
    settings: { privateKey: undefined, algorithm: 'ES256' },
    key: undefined,
    fields: { grant_type: 'client_credentials' },
  } as const;
  await expect(requestToken(issuerAt(origin), CLIENT, request)).rejects.toThrow(
    `${origin} gave a token that is too long or has characters that no request can carry`,
  );
});

it.each(['authorization_endpoint', 'client_id'])('opens no URL in a browser that a long %s makes too long', (part) => {
  const long = 'x'.repeat(900_000);
  const from = issuerAt('https://login.example.com');
  const login = { redirectUri: 'http://127.0.0.1/callback', scope: undefined };
  const begin = (): unknown =>
    part === 'client_id'
      ? beginBrowserLogin(from, { ...CLIENT, id: long }, login)
      : beginBrowserLogin({ ...from, authorizationEndpoint: `https://login.example.com/?${long}` }, CLIENT, login);
  expect(begin).toThrow(
    'https://login.example.com names an authorization_endpoint, or gave a client_id, that is too long for a browser',
  );
});
