import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Target } from '../client.ts';
import type { Place, TrialCall, TrialServer } from './server.ts';

/** One way to a server: by itself, or through a board. */
export interface Side {
  readonly client: Client;
  /** Returns the name here of a tool or prompt of the server. */
  toName(name: string): string;
  /** Returns the address here of a resource of the server. */
  toUri(uri: string): string;
  /** Questions that the client's user was asked. */
  readonly asked: unknown[];
}

/** Starts a server by itself, and connects to it. */
export function openDirect(server: TrialServer, script: string, place: Place): Promise<Side> {
  const args = [script, ...(server.args?.(place) ?? [])];
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.own, ...server.env?.(place) };
  const start = { command: process.execPath, args, env, cwd: place.own, stderr: 'ignore' } as const;
  const transport = new StdioClientTransport(start);
  return openSide(transport, { toName: (name) => name, toUri: (uri) => uri });
}

/** Connects to a board, to reach one of its servers. */
export function openThroughBoard({ url, headers }: Target, name: string): Promise<Side> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  return openSide(transport, {
    toName: (own) => `${name}__${own.replaceAll(/[^\w-]/g, '_')}`,
    toUri: (uri) => (/^(ui|skill):/.test(uri) ? uri : `${name}+${uri}`),
  });
}

async function openSide(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  names: Pick<Side, 'toName' | 'toUri'>,
): Promise<Side> {
  const asked: unknown[] = [];
  // Tools that are for apps alone are there for hosts that show apps.
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const options = { capabilities: { elicitation: {}, extensions }, versionNegotiation: { mode: 'legacy' } } as const;
  const client = new Client({ name: 'interop', version: '2' }, options);
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params);
    return { action: 'accept', content: { ...defaultsOf(params), name: 'Ada' } };
  });
  await client.connect(transport);
  return { ...names, client, asked };
}

/** Calls a tool and returns its result and, where it must report, its progress. */
export async function callTool(side: Side, { tool, args, reports }: TrialCall): Promise<unknown> {
  const heard: unknown[] = [];
  const onprogress = (report: unknown): unknown => heard.push(report);
  const result = await side.client.callTool(
    { name: side.toName(tool), arguments: { ...args } },
    { timeout: 120_000, ...(reports !== undefined && { onprogress }) },
  );
  return reports === undefined ? result : { result, heard: heard.slice(0, reports) };
}

/** The defaults of a form: a person sees them filled in, and the board gives them to the server too. */
function defaultsOf(form: object): Record<string, string> {
  const properties = 'requestedSchema' in form ? Object(Object(form.requestedSchema).properties) : {};
  // The defaults of a form are valid answers.
  const defaults = Object.entries(properties).map(([name, field]) => [name, Object(field).default] as const);
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined));
}
