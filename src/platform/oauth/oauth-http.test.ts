import { expect, it } from 'vitest';
import { openClient, startServer } from '../http/loopback-server.test-helper.ts';
import { createOAuthHttp } from './oauth-http.ts';

it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost'])(
  'does not connect to the private address %s named by a server',
  async (host) => {
    const { port, connections } = await startServer((_, response) => response.end('{}'));
    const client = openClient({ allow: [] });
    const http = createOAuthHttp(['https://mcp.example.com/mcp'], () => client.connect());
    // With TLS, because a handshake alone would reveal the host and the names in its certificate.
    await expect(http.read(`https://${host}:${port}/.well-known/oauth-authorization-server`)).rejects.toThrow(
      'are not allowed: the address is loopback, not public.',
    );
    expect(connections()).toBe(0);
  },
);
