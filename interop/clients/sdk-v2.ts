import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Connection, InteropClient, Person, Target } from '../client.ts';
import type { Way } from '../features.ts';

type Mode = 'legacy' | 'auto';

const NO_TASKS = 'It has no calls for tasks, and throws at one that it did not ask for.';

const base = { package: '@modelcontextprotocol/client', ways: ['stdio', 'http'], lacks: { tasks: NO_TASKS } } as const;

/** The official SDK, major version 2, with the handshake of earlier revisions. */
export const sdkV2Legacy: InteropClient = {
  ...base,
  name: 'TypeScript SDK v2, with a handshake',
  open: (target, way, person) => openV2(target, way, { person, mode: 'legacy' }),
};

/** The official SDK, major version 2, stateless. */
export const sdkV2: InteropClient = {
  ...base,
  name: 'TypeScript SDK v2',
  open: (target, way, person) => openV2(target, way, { person, mode: 'auto' }),
};

/** Connects the SDK. Without a person it does not say that it can ask one. */
export async function openV2(
  target: Target,
  way: Way,
  { person, mode }: { readonly person?: Person; readonly mode: Mode },
): Promise<Connection> {
  const capabilities = person === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'interop', version: '2' }, { capabilities, versionNegotiation: { mode } });
  if (person !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => ({ ...person(params) }));
  await client.connect(
    way === 'stdio'
      ? new StdioClientTransport({ command: target.command, args: [...target.args], stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers: target.headers } }),
  );
  return {
    protocol: () => client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, { signal, onProgress } = {}) =>
      client.callTool(
        { name, arguments: args },
        { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
      ),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}
