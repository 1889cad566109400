// The tools that the conformance suite calls by name.
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type Tool, type ToolContext, ToolResult } from '../../src/index.ts';
import { type InputRequest, type McpPeer, peerOf, RequestError } from '../../src/mcp.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Run = (input: Record<string, unknown>, context: ToolContext) => unknown;

const tool = (name: string, run: Run, properties: Record<string, unknown> = {}): Tool =>
  defineTool({
    name,
    description: `What the conformance suite calls ${name}`,
    schema: { type: 'object', properties },
    execute: run,
  });

const text = { type: 'string' } as const;

/** An elicitation for some fields. */
function elicit(message: string, properties: Record<string, unknown>, required?: string[]): InputRequest {
  const requestedSchema = { type: 'object', properties, ...(required === undefined ? {} : { required }) };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

const sample = (prompt: string, maxTokens = 100): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});

const ROOTS: InputRequest = { method: 'roots/list', params: {} };

/** The client behind a call. */
function clientOf(context: ToolContext): McpPeer {
  const peer = peerOf(context);
  if (peer === undefined) throw new Error('No client made this call.');
  return peer;
}

const ask = async (context: ToolContext, key: string, request: InputRequest): Promise<Record<string, unknown>> =>
  (await clientOf(context).ask({ [key]: request }))[key] ?? {};

const askInForm =
  (properties: Record<string, unknown>): Run =>
  async (_input, context) => {
    const { action, content } = await ask(context, 'form', elicit('Please fill in the form', properties));
    return `Elicitation completed: action=${String(action)}, content=${JSON.stringify(content ?? {})}`;
  };

const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Option ${number}` }));
const options = ['option1', 'option2', 'option3'];

/** Tools that answer by themselves. */
export const plainTools: readonly Tool[] = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => ToolResult.content([{ type: 'image', data: PNG, mimeType: 'image/png' }])),
  tool('test_audio_content', () => ToolResult.content([{ type: 'audio', data: WAV, mimeType: 'audio/wav' }])),
  tool('test_embedded_resource', () =>
    ToolResult.content([
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
  ),
  tool('test_multiple_content_types', () =>
    ToolResult.content([
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
  ),
  tool('test_tool_with_logging', async (_input, { log }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      log.info(line);
      await wait(50);
    }
    return 'Logged three lines.';
  }),
  tool('test_logging_tool', (_input, { log }) => {
    log.info('Nobody asked for this line');
    return 'Logged.';
  }),
  tool('test_tool_with_progress', async (_input, context) => {
    for (const done of [0, 50, 100]) {
      context.progress(done, 100, `Completed step ${done} of 100`);
      await wait(50);
    }
    return 'Done.';
  }),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes a person and a way to reach them',
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { $anchor: 'addressDef', type: 'object', properties: { street: text, city: text } },
      },
      properties: {
        name: text,
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: text,
        email: text,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    execute: () => 'Taken.',
  }),
  tool('test_header_parameter', ({ region }) => `Region ${String(region)}`, {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  }),
];

/** Tools that ask the client for something. */
export const askingTools: readonly Tool[] = [
  tool(
    'test_sampling',
    async ({ prompt }, context) => {
      const { content } = await ask(context, 'answer', sample(String(prompt)));
      return `LLM response: ${JSON.stringify(content)}`;
    },
    { prompt: text },
  ),
  tool(
    'test_elicitation',
    async ({ message }, context) => {
      const { action, content } = await ask(
        context,
        'answer',
        elicit(String(message), { response: text }, ['response']),
      );
      return `User response: action=${String(action)}, content=${JSON.stringify(content ?? {})}`;
    },
    { message: text },
  ),
  tool(
    'test_elicitation_sep1034_defaults',
    askInForm({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  tool(
    'test_elicitation_sep1330_enums',
    askInForm({
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    }),
  ),
  tool('test_missing_capability', async (_input, context) => ask(context, 'answer', sample('Say something'))),
  tool('test_streaming_elicitation', async (_input, context) => {
    context.progress(1, 2, 'Asking');
    return ask(context, 'user_name', elicit('What is your name?', { name: text }, ['name']));
  }),
  tool('test_input_required_result_elicitation', async (_input, context) => {
    const { content } = await ask(context, 'user_name', elicit('What is your name?', { name: text }, ['name']));
    return `Hello, ${JSON.stringify(content)}!`;
  }),
  tool('test_input_required_result_sampling', async (_input, context) => {
    const { content } = await ask(context, 'capital_question', sample('What is the capital of France?'));
    return `It says: ${JSON.stringify(content)}`;
  }),
  tool('test_input_required_result_list_roots', async (_input, context) => {
    const { roots } = await ask(context, 'client_roots', ROOTS);
    return `Roots: ${JSON.stringify(roots)}`;
  }),
  tool('test_input_required_result_request_state', async (_input, context) => {
    await clientOf(context).ask(
      { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
      { once: true },
    );
    return 'state-ok';
  }),
  tool('test_input_required_result_tampered_state', async (_input, context) => {
    await clientOf(context).ask(
      { confirm: elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
      { once: true },
    );
    return 'Confirmed.';
  }),
  tool('test_input_required_result_multiple_inputs', async (_input, context) => {
    const answers = await clientOf(context).ask({
      user_name: elicit('What is your name?', { name: text }, ['name']),
      greeting: sample('Generate a greeting', 50),
      client_roots: ROOTS,
    });
    return `All there: ${Object.keys(answers).join(', ')}`;
  }),
  tool('test_input_required_result_multi_round', async (_input, context) => {
    const first = await ask(context, 'step1', elicit('Step 1: What is your name?', { name: text }, ['name']));
    const second = await ask(
      context,
      'step2',
      elicit('Step 2: What is your favorite color?', { color: text }, ['color']),
    );
    return `${JSON.stringify(first)} ${JSON.stringify(second)}`;
  }),
  tool('test_input_required_result_capabilities', async (_input, context) => {
    const peer = clientOf(context);
    const wanted = {
      user_name: elicit('What is your name?', { name: text }, ['name']),
      greeting: sample('Generate a greeting', 50),
      client_roots: ROOTS,
    };
    return peer.ask(Object.fromEntries(Object.entries(wanted).filter(([, { method }]) => peer.can(method))));
  }),
];

const seconds = { type: 'number' } as const;
const confirm = (what: string): InputRequest => elicit(what, { name: text, confirm: { type: 'boolean' } }, ['confirm']);

/** Tools that run as tasks, and one that never does. */
export const longTools: readonly Tool[] = [
  tool('greet', ({ name }) => `Hello, ${String(name)}!`, { name: text }),
  tool(
    'slow_compute',
    async (input, { signal }) => {
      await wait(Number(input['seconds'] ?? 1) * 1000, undefined, { signal });
      return 'Computed.';
    },
    { seconds, label: text },
  ),
  tool('failing_job', async (_input, { signal }) => {
    await wait(200, undefined, { signal });
    throw new Error('The job failed.');
  }),
  tool('protocol_error_job', async () => {
    await wait(50);
    throw new RequestError(-32603, 'The worker is gone.');
  }),
  tool(
    'confirm_delete',
    async ({ filename }, context) => {
      await wait(20);
      const { content } = await ask(context, 'confirm', confirm(`Delete ${String(filename)}?`));
      return `Answered: ${JSON.stringify(content)}`;
    },
    { filename: text },
  ),
  tool('multi_input', async (_input, context) => {
    await wait(20);
    return clientOf(context).ask({ first: confirm('First?'), second: confirm('Second?') });
  }),
  tool('test_tool_with_task', async (_input, context) => {
    const { content } = await ask(context, 'user_name', elicit('What is your name?', { name: text }, ['name']));
    await wait(50);
    return `Done for ${JSON.stringify(content)}`;
  }),
];
