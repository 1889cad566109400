import { expect, it } from 'vitest';
import { isSecretName, secretsIn } from './secret-names.ts';

it('recognizes secrets by the names of variables, but not an author', () => {
  const secret = ['API_KEY', 'GH_TOKEN', 'AUTH', 'BASIC_AUTH', 'Authorization', 'OAUTH_CLIENT', 'X_AUTHORITY_COOKIE'];
  const plain = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'npm_author', 'AUTHORS', 'SSL_CERT_FILE', 'CURL_CA_BUNDLE'];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(plain.filter((name) => isSecretName(name))).toEqual([]);
  expect(secretsIn('HTTPS_PROXY', 'http://me:hunter2@proxy')).toEqual(['http://me:hunter2@proxy', 'hunter2']);
  // A program that receives the address may print the password alone, decoded.
  const address = 'postgres://me:hunter%402@db/shop';
  expect(secretsIn('DATABASE_DSN', address)).toEqual([address, 'hunter%402', 'hunter@2']);
});
