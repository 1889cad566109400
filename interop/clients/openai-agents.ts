import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import type { Connection, InteropClient, Target } from '../client.ts';
import type { Way } from '../features.ts';

/** The MCP servers of OpenAI's Agents SDK. */
export const openaiAgents: InteropClient = {
  name: 'OpenAI Agents',
  package: '@openai/agents',
  ways: ['stdio', 'http'],
  lacks: {
    prompts: 'It has no calls for prompts.',
    progress: 'Its calls take no listener for progress.',
    elicitation: 'It lets no one answer questions.',
    tasks: 'It has no calls for tasks.',
  },
  open: openAgents,
};

async function openAgents({ command, args, url, headers }: Target, way: Way): Promise<Connection> {
  let protocol: string | undefined;
  const sniff: typeof fetch = (input, init) => {
    protocol = new Headers(init?.headers).get('mcp-protocol-version') ?? protocol;
    return fetch(input, init);
  };
  const server =
    way === 'stdio'
      ? new MCPServerStdio({ command, args: [...args] })
      : new MCPServerStreamableHttp({ url, requestInit: { headers }, fetch: sniff });
  await server.connect();
  return {
    protocol: () => protocol,
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: (name, input, { signal } = {}) => server.callToolResult(name, input, null, { ...(signal && { signal }) }),
    resources: async () => (await server.listResources()).resources.map(({ uri }) => uri),
    templates: async () => (await server.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    read: (uri) => server.readResource(uri),
    close: () => server.close(),
  };
}
