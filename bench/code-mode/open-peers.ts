import type { Board } from '../../src/index.ts';

/** A code mode of others, over the tools of a board. */
export interface Peer {
  /** The definitions that its model sees with each request: the tool that takes programs, and how programs call the others. */
  readonly definitions: string;
  /** The call with which its model sends a program. */
  readonly tool: { readonly name: string; readonly field: string };
  /** A program of {@link Task} in its words. */
  translate(code: string): string;
  run(code: string): Promise<unknown>;
}

const MANUAL = 'board';

/** Gives programs of others what our programs get of the same call: data, else the text. */
async function call(board: Board, name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const result = await board.call(name, input);
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.data ?? result.text;
}

/** `@ai-sdk/code-mode`: one tool, whose description declares all others with their types and an example of each. */
export async function openAiSdk(board: Board): Promise<Peer> {
  const { experimental_createCodeModeTool: createCodeModeTool, experimental_runCodeMode: runCodeMode } =
    await import('@ai-sdk/code-mode');
  const { jsonSchema, tool } = await import('ai');
  const tools = Object.fromEntries(
    board.registry.getAll().map(({ metadata: { name, description }, inputSchema, outputSchema }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(inputSchema),
        ...(outputSchema === undefined ? {} : { outputSchema: jsonSchema(outputSchema) }),
        // The schema above takes objects alone.
        execute: (input: unknown) => call(board, name, input as Record<string, unknown>),
      }),
    ]),
  );
  const { description, inputSchema } = createCodeModeTool(tools);
  const parameters: unknown = inputSchema.jsonSchema;
  return {
    definitions: JSON.stringify([{ type: 'function', name: 'code_mode', description, parameters }]),
    tool: { name: 'code_mode', field: 'js' },
    translate: (code) => code,
    // Its default of 32 calls at once ends programs that map over a list: further calls fail there instead of waiting.
    run: (js) => runCodeMode({ js, tools, options: { executionPolicy: { maxInFlightBridgeRequests: 1_000 } } }),
  };
}

/**
 * `@utcp/code-mode`: its own prompt, the interfaces of all tools behind it, and a tool that takes the program. Its prompt has the model
 * read the interfaces first; they stand in the prompt here, which saves it a request.
 */
export async function openUtcp(board: Board): Promise<Peer> {
  const { CodeModeUtcpClient } = await import('@utcp/code-mode');
  const { addFunctionToUtcpDirectCall } = await import('@utcp/direct-call');
  const tools = board.registry
    .getAll()
    .map(({ metadata: { name, description, tags }, inputSchema: inputs, outputSchema }) => ({
      name,
      description,
      tags: tags ?? [],
      inputs,
      outputs: outputSchema ?? {},
      tool_call_template: { call_template_type: 'direct-call', callable_name: name },
    }));
  addFunctionToUtcpDirectCall('manual', async () => ({ utcp_version: '1.0.0', tools }));
  const client = await CodeModeUtcpClient.create();
  await client.registerManual({ name: MANUAL, call_template_type: 'direct-call', callable_name: 'manual' });
  // Functions of its own protocol get the values of the arguments without their names: tools with several could not be called.
  client.callTool = (name: string, input: Record<string, unknown>) => call(board, name.slice(MANUAL.length + 1), input);
  const interfaces = await client.getAllToolsTypeScriptInterfaces();
  const definition = {
    type: 'function',
    name: 'call_tool_chain',
    description: 'Execute TypeScript code that calls tools.',
    parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  };
  return {
    definitions: `${CodeModeUtcpClient.AGENT_PROMPT_TEMPLATE}\n\n${interfaces}\n${JSON.stringify([definition])}`,
    tool: { name: 'call_tool_chain', field: 'code' },
    translate: (code) =>
      code
        .replaceAll(/\btools\['([^']+)'\]/g, (_, name: string) => `tools.${name.replaceAll(/\W/g, '_')}`)
        .replaceAll(/\btools\./g, `${MANUAL}.`),
    async run(code) {
      const { result, logs } = await client.callToolChain(code, 60_000);
      // It tells of a failure in its log.
      if (result === null) throw new Error(`UTCP: ${String(logs)}`);
      return result;
    },
  };
}
