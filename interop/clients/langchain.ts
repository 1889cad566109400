import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import type { Connection, InteropClient, Target } from '../client.ts';
import type { Way } from '../features.ts';

/** LangChain's adapters: tools for its models, and resources. */
export const langchain: InteropClient = {
  name: 'LangChain MCP adapters',
  package: '@langchain/mcp-adapters',
  ways: ['stdio', 'http'],
  lacks: { elicitation: 'It lets no one answer questions.', tasks: 'It has no calls for tasks.' },
  open: openLangchain,
};

async function openLangchain({ command, args, url, headers }: Target, way: Way): Promise<Connection> {
  let onProgress: ((report: unknown) => void) | undefined;
  const client = new MultiServerMCPClient({
    mcpServers: {
      board:
        way === 'stdio'
          ? { transport: 'stdio', command, args: [...args], stderr: 'ignore' }
          : { transport: 'http', url, headers: { ...headers } },
    },
    onProgress: (report: unknown) => onProgress?.(report),
  });
  const tools = new Map<string, LangchainTool>();
  for (const tool of (await client.getTools()) as LangchainTool[]) tools.set(tool.name, tool);
  // The adapters have no call for prompts: they hand out the client of the official SDK for them.
  const inner = await client.getClient('board');
  return {
    protocol: () => inner.transport?.protocolVersion,
    tools: () => Promise.resolve([...tools.keys()]),
    call: async (name, input, extras = {}) => {
      onProgress = extras.onProgress;
      const call = { type: 'tool_call', id: 'call', name, args: input };
      const message = await tools.get(name)?.invoke(call, { ...(extras.signal && { signal: extras.signal }) });
      return { content: message?.content, artifact: message?.artifact };
    },
    resources: async () => listed(await client.listResources('board')).map(({ uri }) => uri ?? ''),
    templates: async () => listed(await client.listResourceTemplates('board')).map((each) => each.uriTemplate ?? ''),
    read: (uri) => client.readResource('board', uri),
    prompts: async () => (await inner.listPrompts()).prompts.map(({ name }: { name: string }) => name),
    prompt: (name, input) => inner.getPrompt({ name, arguments: input }),
    close: () => client.close(),
  };
}

interface LangchainTool {
  readonly name: string;
  invoke(call: object, config: object): Promise<{ readonly content: unknown; readonly artifact?: unknown }>;
}

/** Returns the client's list for its one server. */
function listed(
  lists: Record<string, { uri?: string; uriTemplate?: string }[]>,
): { uri?: string; uriTemplate?: string }[] {
  return Object.values(lists).flat();
}
