import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthLogin } from '../../../platform/oauth/oauth-settings.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';

/** A login on this machine that waits for the browser's redirect. */
export interface LoginCallback extends OAuthLogin {
  close(): void;
}

/** Listens on 127.0.0.1 for the redirect of a login; port 0 means any free port. */
export async function openLoginCallback(
  port: number,
  { stderr, signal }: CliContext,
  command: string,
): Promise<LoginCallback> {
  let waiting: { readonly state: string | null; readonly arrive: (url: string) => void } | undefined;
  const server = createServer(({ url = '/', method }, response) => {
    const back = method === 'GET' && url.startsWith('/callback?') ? new URL(url, 'http://127.0.0.1') : undefined;
    if (back === undefined) return answer(response, 404, 'Not found.');
    // Any page can send a browser here, but only the authorization server knows the state.
    if (waiting === undefined || back.searchParams.get('state') !== waiting.state) {
      return answer(response, 400, 'This does not belong to the login at the terminal, which is still waiting.');
    }
    const { arrive } = waiting;
    waiting = undefined;
    if (back.searchParams.has('code')) answer(response, 200, 'You can close this page and go back to the terminal.');
    else answer(response, 400, 'The login was refused. See the terminal for the reason; you can close this page.');
    arrive(back.href);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      reject(new UsageError(`--port ${port} cannot be used: ${why}. Use another port, or omit --port.`, command));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  // A server that listens on a port always has an address of this type.
  const { port: open } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${open}/callback`,
    authorize: (url) =>
      new Promise((resolve, reject) => {
        waiting = { state: new URL(url).searchParams.get('state'), arrive: resolve };
        signal.addEventListener('abort', () => reject(new Error('the login was cancelled')), { once: true });
        printLine(stderr, `Open this address in a browser:\n${url}`);
      }),
    showCode: ({ url, code }) =>
      printLine(stderr, `Open this address in a browser:\n${url}\nand enter this code:\n${code}`),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    // The address contains a code.
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${text}\n`);
}
