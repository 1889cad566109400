import type { InteropClient } from '../client.ts';

/** The files of this folder, each with the clients of one package. */
export const CLIENT_FILES = [
  'sdk-v1',
  'sdk-v2',
  'inspector',
  'ai-sdk',
  'langchain',
  'openai-agents',
  'mastra',
  'mcporter',
  'mcp-proxy',
] as const;

/** Those whose package takes long to install, or that start a process for each request. */
export const SLOW_CLIENTS: ReadonlySet<string> = new Set(['inspector', 'mastra']);

/** The clients of one file. Rejects when their package is not installed. */
export async function loadClients(file: string): Promise<InteropClient[]> {
  const module: Record<string, unknown> = await import(`./${file}.ts`);
  return Object.values(module).filter(isClient);
}

function isClient(value: unknown): value is InteropClient {
  return typeof value === 'object' && value !== null && 'lacks' in value && 'open' in value;
}
