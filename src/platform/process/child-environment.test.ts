import { describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

const from = { PATH: '/bin', HOME: '/home/me', LC_ALL: 'C', LC_TIME: 'C', API_KEY: 'k', GONE: undefined };

describe('childEnvironment', () => {
  it('passes on PATH, HOME and LANG where they are set, and nothing else', () => {
    expect(childEnvironment({ from })).toEqual({ PATH: '/bin', HOME: '/home/me' });
  });

  it('passes on certificate locations, but no settings that disable checks, proxies, keys or logins', () => {
    const files = {
      SSL_CERT_FILE: '/ca.pem',
      SSL_CERT_DIR: '/ca',
      CURL_CA_BUNDLE: '/ca.pem',
      GIT_SSL_CAINFO: '/ca.pem',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      REQUESTS_CA_BUNDLE: '/ca.pem',
      AWS_CA_BUNDLE: '/ca.pem',
    };
    const others = {
      GIT_SSL_NO_VERIFY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      GIT_SSL_KEY: '/key.pem',
      SSLKEYLOGFILE: '/log',
      HTTPS_PROXY: 'http://me:pw@proxy',
      AWS_PROFILE: 'me',
    };
    expect(childEnvironment({ from: { ...files, ...others } })).toEqual(files);
    expect(childEnvironment({ from: files, set: { SSL_CERT_FILE: '' } })).toEqual({ ...files, SSL_CERT_FILE: '' });
  });

  it('passes on the names and globs that are allowed', () => {
    expect(childEnvironment({ from, allowed: ['API_KEY', 'LC_*', 'GONE', 'MISSING'] })).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      API_KEY: 'k',
      LC_ALL: 'C',
      LC_TIME: 'C',
    });
    expect(Object.keys(childEnvironment({ from, allowed: ['API?KEY', 'LC.ALL', 'C_A'] }))).toEqual([
      'PATH',
      'HOME',
      'API_KEY',
    ]);
  });

  it('prefers set values', () => {
    expect(childEnvironment({ from, set: { PATH: '/opt', NEW: '' } })).toEqual({
      PATH: '/opt',
      HOME: '/home/me',
      NEW: '',
    });
  });
});
