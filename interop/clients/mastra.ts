import { MCPClient } from '@mastra/mcp';
import type { Connection, InteropClient, Person, Target } from '../client.ts';
import type { Way } from '../features.ts';

const base = { package: '@mastra/mcp', ways: ['stdio', 'http'] } as const;

/** Mastra's client, stateless. */
export const mastra: InteropClient = {
  ...base,
  name: 'Mastra',
  lacks: { tasks: 'It has no calls for tasks.' },
  open: (target, way, person) => openMastra(target, way, { person, protocolVersion: '2026-07-28' }),
};

/** Mastra's client, with the handshake of earlier revisions. */
export const mastraLegacy: InteropClient = {
  ...base,
  name: 'Mastra, with a handshake',
  lacks: { tasks: 'It has no calls for tasks.' },
  open: (target, way, person) => openMastra(target, way, { person, protocolVersion: 'legacy' }),
};

interface MastraTool {
  execute(input: object, context: object): Promise<unknown>;
}

async function openMastra(
  { command, args, url, headers }: Target,
  way: Way,
  { person, protocolVersion }: { readonly person?: Person; readonly protocolVersion: string },
): Promise<Connection> {
  const client = new MCPClient({
    id: `${way} ${protocolVersion}`,
    servers: {
      board: {
        ...(way === 'stdio'
          ? { command, args: [...args], stderr: 'ignore' }
          : { url: new URL(url), requestInit: { headers }, allowedHosts: [new URL(url).host] }),
        protocolVersion,
        enableProgressTracking: true,
        logger: () => undefined,
        ...(person && {
          inputRequests: ({ params }: { params: Parameters<Person>[0] }) => Promise.resolve(person(params)),
        }),
      },
    },
  });
  const tools: Record<string, MastraTool> = await client.listTools();
  let onProgress: ((report: unknown) => void) | undefined;
  await client.progress.onUpdate('board', (report: unknown) => onProgress?.(report));
  return {
    protocol: () => client.getServerProtocolVersions()['board'],
    tools: () => Promise.resolve(Object.keys(tools)),
    call: async (name, input, extras = {}) => {
      onProgress = extras.onProgress;
      // Mastra puts the name of the server before that of the tool.
      return await tools[`board_${name}`]?.execute(input, { ...(extras.signal && { abortSignal: extras.signal }) });
    },
    resources: async () => named(await client.resources.list(), 'uri'),
    templates: async () => named(await client.resources.templates(), 'uriTemplate'),
    read: (uri) => client.resources.read('board', uri),
    prompts: async () => named(await client.prompts.list(), 'name'),
    prompt: (name, input) => client.prompts.get({ serverName: 'board', name, args: input }),
    close: () => client.disconnect(),
  };
}

/** One field of all that is listed for the one server. */
function named(lists: Record<string, Record<string, string>[]>, field: string): string[] {
  return Object.values(lists)
    .flat()
    .map((each) => each[field] ?? '');
}
