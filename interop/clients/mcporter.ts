import { createRuntime } from 'mcporter';
import type { Connection, InteropClient, Target } from '../client.ts';
import type { Way } from '../features.ts';

/** The runtime of mcporter, which its command line uses too. */
export const mcporter: InteropClient = {
  name: 'mcporter',
  package: 'mcporter',
  ways: ['stdio', 'http'],
  lacks: {
    prompts: 'It has no calls for prompts.',
    progress: 'Its calls take no listener for progress.',
    cancel: 'Its calls take no signal.',
    elicitation: 'It lets no one answer questions.',
    tasks: 'It has no calls for tasks.',
  },
  open: openMcporter,
};

async function openMcporter({ folder, command, args, url, headers }: Target, way: Way): Promise<Connection> {
  const runtime = await createRuntime({
    rootDir: folder,
    servers: [
      {
        name: 'board',
        command:
          way === 'stdio'
            ? { kind: 'stdio', command, args: [...args], cwd: folder }
            : { kind: 'http', url: new URL(url), headers },
      },
    ],
  });
  const board = await runtime.connect('board');
  return {
    protocol: () => board.transport.protocolVersion,
    tools: async () => (await runtime.listTools('board')).map(({ name }: { name: string }) => name),
    call: (name, input) => runtime.callTool('board', name, { args: input }),
    resources: async () => (await runtime.listResources('board')).resources.map(({ uri }: { uri: string }) => uri),
    read: (uri) => runtime.readResource('board', uri),
    close: () => runtime.close(),
  };
}
