import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Connection, InteropClient, Person, Target } from '../client.ts';
import type { Way } from '../features.ts';

/** The official SDK, major version 1. */
export const sdkV1: InteropClient = {
  name: 'TypeScript SDK v1',
  package: '@modelcontextprotocol/sdk',
  ways: ['stdio', 'http'],
  lacks: {},
  open: openV1,
};

async function openV1(target: Target, way: Way, person: Person): Promise<Connection> {
  const client = new Client({ name: 'interop', version: '1' }, { capabilities: { elicitation: {}, tasks: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ ...person(params) }));
  const http = new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers: target.headers } });
  const stdio = new StdioClientTransport({ command: target.command, args: [...target.args], stderr: 'ignore' });
  await client.connect(way === 'stdio' ? stdio : http);
  return {
    // Over stdio the SDK keeps it to itself.
    protocol: () => (way === 'http' ? http.protocolVersion : undefined),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, { signal, onProgress } = {}) =>
      client.callTool({ name, arguments: args }, CallToolResultSchema, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress }),
      }),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    task: async (name, args) => {
      await client.listTools();
      const seen: string[] = [];
      const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
        task: {},
      });
      for await (const message of stream) {
        seen.push(message.type);
        if (message.type === 'error') throw message.error;
        if (message.type === 'result' && seen.includes('taskCreated')) return message.result;
      }
      throw new Error(`No task was made: ${seen.join(', ')}`);
    },
    close: () => client.close(),
  };
}
