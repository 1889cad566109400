import { counted } from '../../../tool/texts/counted.ts';
import type { BoardLogin } from '../feature.ts';
import type { Board } from '../../../board/board.ts';
import type { BoardServer } from '../../servers/to-board-server.ts';
import { LOGINS_CHANGED } from '../../../mcp/client/oauth/user-logins.ts';
import type { OAuthLogin } from '../../../platform/oauth/oauth-settings.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { useBoard } from '../../../cli/shared/board/use-board.ts';
import { type CliContext, printLine } from '../../../cli/shared/cli-context.ts';
import { type CommandAnswer, defineCommand, FILE_OPTION, flag, valueOption } from '../../../cli/shared/command.ts';
import { parsePort } from '../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const login = defineCommand({
  name: 'login',
  description:
    'Logs in to an API or an MCP server of the config (OAuth). Prints the address to open in a browser, with a code if one is needed, and waits. The token is stored in the data folder of the board. Without a name, lists the logins.',
  arguments: [
    {
      name: 'NAME',
      description: 'The login: auth.name, the name of the file, or a name under mcpServers',
      completes: 'logins',
    },
  ],
  options: {
    ...FILE_OPTION,
    forget: flag('Delete the stored login instead'),
    port: valueOption('PORT', 'The port on 127.0.0.1 for the redirect (default: any free port)'),
  },
  examples: [
    ['pegboard login', 'list the logins'],
    ['pegboard login github', 'log in; open the printed address'],
    ['pegboard login github --forget', 'log out'],
  ],
  async run({ values, positionals, context }) {
    const [name] = positionals;
    if (name === undefined) return useBoard(values.file, { context, mode: 'look' }, list);
    if (values.forget) return useBoard(values.file, { context, mode: 'look' }, (board) => forget(board, name));
    const person = await openLoginCallback(parsePort(values.port, 'login') ?? 0, context, 'login');
    try {
      return await useBoard(values.file, { context, servers: 'cached', login: person }, async (board) => {
        const { fault, done } = await logIn(board, name, { person, context });
        if (fault === undefined) return { data: { name, ok: true }, view: done };
        const notes = `Login to ${name} failed: ${fault.replace(/\.?$/, '.')}`;
        return { data: { name, ok: false, error: fault }, view: [], notes, exitCode: 1 };
      });
    } finally {
      person.close();
    }
  },
});

async function forget(board: Board, name: string): Promise<CommandAnswer> {
  const { api } = await findLogin(board, name);
  const space = board.store.space('oauth');
  const kept = api === undefined ? await space.entries({ prefix: `token ${name} ` }) : [];
  for (const { key } of kept) await space.delete(key);
  // Notifies running processes that use one of them.
  if (kept.length > 0) await board.store.signal(LOGINS_CHANGED);
  const isForgotten = api === undefined ? kept.length > 0 : await api.forget();
  const view = isForgotten ? `Deleted the login to ${name}.` : `There was no login to ${name}.`;
  return { data: { name, forgotten: isForgotten }, view };
}

async function logIn(
  board: Board,
  name: string,
  { person, context }: { readonly person: OAuthLogin; readonly context: CliContext },
): Promise<{ readonly fault: string | undefined; readonly done: string }> {
  const { api, server } = await findLogin(board, name);
  if (api === undefined) return { fault: await server.connect(), done: `${name} answers.` };
  try {
    await api.login(person, context.signal);
    return { fault: undefined, done: `Logged in to ${name}, for ${counted(api.tools.length, 'tool')}.` };
  } catch (error) {
    return { fault: context.signal.aborted ? 'it was cancelled' : messageOf(error), done: '' };
  }
}

/** Finds the API or server with this name. */
async function findLogin(
  board: Board,
  name: string,
): Promise<
  { readonly api: BoardLogin; readonly server?: never } | { readonly api?: never; readonly server: BoardServer }
> {
  const logins = await board.logins();
  const [api, other] = logins.filter((candidate) => candidate.name === name);
  const server = board.servers.find((candidate) => candidate.name === name);
  if (other !== undefined || (api !== undefined && server !== undefined)) {
    const message = `Several logins have the name "${name}". Give each auth its own name${server === undefined ? '' : ', and use pegboard mcp login for the server'}.`;
    throw new UsageError(message, 'login');
  }
  if (api !== undefined) return { api };
  if (server !== undefined) return { server };
  const known = [...logins, ...board.servers].map((candidate) => candidate.name).join(', ') || 'none';
  throw new UsageError(`There is no login "${name}". There are: ${known}.`, 'login');
}

async function list(board: Board): Promise<CommandAnswer> {
  const logins = (await board.logins()).map(({ name, grant, isReady, tools }) => ({ name, grant, isReady, tools }));
  const lines = logins.map(
    ({ name, isReady, tools }) =>
      `${name}  ${isReady ? 'logged in' : 'needs a login'}, for ${counted(tools.length, 'tool')}`,
  );
  const none = 'No API of the config needs a login. For MCP servers see: pegboard mcp list';
  return { data: logins, view: lines.length === 0 ? none : lines };
}

export const mcpLogin = defineCommand({
  name: 'mcp login',
  description:
    'Logs in to an MCP server of the config (OAuth). Prints the address to open in a browser and waits for the redirect. The token is stored in the data folder of the board.',
  arguments: [{ name: 'SERVER', description: 'Its name under mcpServers', required: true, completes: 'servers' }],
  options: {
    ...FILE_OPTION,
    port: valueOption('PORT', 'The port on 127.0.0.1 for the redirect (default: any free port)'),
  },
  examples: [['pegboard mcp login tracker', 'log in; open the printed address']],
  async run({ values, positionals, context }) {
    const [name = ''] = positionals;
    const login = await openLoginCallback(parsePort(values.port, 'mcp login') ?? 0, context, 'mcp login');
    try {
      return await useBoard(values.file, { context, servers: 'cached', login }, async (board) => {
        const server = board.servers.find((candidate) => candidate.name === name);
        if (server === undefined) {
          const known = board.servers.map((candidate) => candidate.name).join(', ') || 'none';
          throw new UsageError(`There is no server "${name}" under mcpServers. There are: ${known}.`, 'mcp login');
        }
        const fault = await server.connect();
        const tools = board.servers.find((candidate) => candidate.name === name)?.offered ?? 0;
        if (fault !== undefined)
          return { data: { server: name, ok: false, error: fault }, view: [], notes: fault, exitCode: 1 };
        return { data: { server: name, ok: true, tools }, view: `${name} answers, with ${counted(tools, 'tool')}.` };
      });
    } finally {
      login.close();
    }
  },
});

/** A login on this machine that waits for the browser's redirect. */
interface LoginCallback extends OAuthLogin {
  close(): void;
}

/** Listens on 127.0.0.1 for the redirect of a login; port 0 means any free port. */
async function openLoginCallback(
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
