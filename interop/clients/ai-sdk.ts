import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import type { Connection, InteropClient, Person, Target } from '../client.ts';
import type { Way } from '../features.ts';

/** The client of the AI SDK, and the tools that it makes for models. */
export const aiSdk: InteropClient = {
  name: 'AI SDK',
  package: '@ai-sdk/mcp',
  ways: ['stdio', 'http'],
  lacks: { progress: 'Its calls take no listener for progress.', tasks: 'It has no calls for tasks.' },
  faults: {
    cancel: 'It stops waiting, but sends no `notifications/cancelled`; over HTTP it hangs up, which ends the call.',
  },
  open: openAiSdk,
};

async function openAiSdk(target: Target, way: Way, person: Person): Promise<Connection> {
  const { command, args, url, headers } = target;
  const client = await createMCPClient({
    transport:
      way === 'stdio'
        ? new StdioTransport({ command, args: [...args], stderr: 'ignore' })
        : { type: 'http', url, headers: { ...headers } },
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => ({ ...person(params) }));
  const tools = await client.tools();
  return {
    protocol: () => client.initializeResult.protocolVersion,
    tools: () => Promise.resolve(Object.keys(tools)),
    call: async (name, input, { signal } = {}) => {
      const options = { toolCallId: 'call', messages: [], context: {}, ...(signal && { abortSignal: signal }) };
      return await tools[name]?.execute(input, options);
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
    read: (uri) => client.readResource({ uri }),
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: (name, input) => client.getPrompt({ name, arguments: input }),
    close: () => client.close(),
  };
}
