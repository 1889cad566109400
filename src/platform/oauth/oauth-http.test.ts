import { expect, it } from 'vitest';
import { openClient, startServer } from '../http/loopback-server.test-helper.ts';
import { createOAuthHttp } from './oauth-http.ts';

it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost'])(
  'makes no connection to the private address %s that only a server named',
  async (host) => {
    const { port, connections } = await startServer((_, response) => response.end('{}'));
    const client = openClient({ allow: [] });
    const http = createOAuthHttp(['https://mcp.example.com/mcp'], () => client.connect());
    // With TLS: a handshake alone would tell that a host is there, and the names of its certificate.
    await expect(http.read(`https://${host}:${port}/.well-known/oauth-authorization-server`)).rejects.toThrow(
      'are not allowed: the address is loopback, not public.',
    );
    expect(connections()).toBe(0);
  },
);
