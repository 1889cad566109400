// Agents with the providers' real packages, against a server on this machine that holds requests to the providers' rules.
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AgentResult, defineAgent, type ModelName, type RunOptions, runAgent, streamAgent } from '../src/agent.ts';
import {
  type LoopbackProvider,
  startProvider,
  type WireCall,
  type WireReply,
} from '../src/agent/loop/loopback-provider.test-helper.ts';
import { defineTool, ToolRegistry, ToolResult } from '../src/index.ts';

let provider: LoopbackProvider | undefined;
afterEach(() => provider?.close());

const board = new ToolRegistry().registerMany([
  defineTool({
    name: 'stock.level',
    description: 'Tell how much of an item there is.',
    risk: 'read',
    schema: z.object({ item: z.string() }),
    execute: ({ item }) => ({ item, kilograms: 12 }),
  }),
  defineTool({
    name: 'order',
    description: 'Order.',
    schema: z.object({ item: z.string() }),
    execute: () => Promise.reject(new Error('shop is closed')),
  }),
  defineTool({
    name: 'label',
    description: 'Draw a label.',
    schema: z.object({}),
    execute: () => ToolResult.content([{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }]),
  }),
]);

const MODELS: Readonly<Record<string, (url: string) => ModelName>> = {
  'openai (chat)': (baseUrl) => ({ provider: 'openai', model: 'loop-1', baseUrl, apiKey: 'test-key' }),
  'openai (responses)': (baseUrl) => ({
    provider: 'openai',
    api: 'responses',
    model: 'loop-1',
    baseUrl,
    apiKey: 'test-key',
  }),
  'openai-compatible': (baseUrl) => ({
    provider: 'openai-compatible',
    model: 'loop-1',
    baseUrl,
    headers: { 'x-team': 'bakery' },
  }),
  anthropic: (baseUrl) => ({ provider: 'anthropic', model: 'loop-1', baseUrl, apiKey: 'test-key' }),
};

/** The messages of a request, under the names of each API. */
const messagesOf = (body: { messages?: unknown[]; input?: unknown[] }): unknown[] => body.messages ?? body.input ?? [];

const call = (id: string, name: string, input: WireCall['input']): WireCall => ({ id, name, input });

describe.for(Object.keys(MODELS))('%s', (name) => {
  describe.for(['whole', 'streamed'])('%s', (mode) => {
    async function run(
      script: readonly WireReply[],
      options: RunOptions & { readonly maxSteps?: number } = {},
    ): Promise<AgentResult> {
      const server = await startProvider((_, number) => script[number - 1] ?? { status: 418 });
      provider = server;
      const { maxSteps = 10, ...rest } = options;
      const agent = defineAgent({
        name: 'baker',
        system: 'You bake.',
        model: MODELS[name]?.(server.url),
        retryDelay: 1,
        maxSteps,
        settings: { maxOutputTokens: 1000 },
      });
      const start =
        mode === 'whole' ? runAgent : (...given: Parameters<typeof streamAgent>) => streamAgent(...given).result;
      return start(agent, 'How much flour is there?', { board, env: {}, ...rest });
    }

    it('keeps ids and order, answers each call once, and adds up tokens', async () => {
      const result = await run([
        {
          text: 'Let me look.',
          calls: [
            call('call_b', 'stock_level', { item: 'flour' }),
            call('call_d', 'stock_level', { item: 'flour' }),
            call('call_a', 'order', { item: 'milk' }),
            call('call_c', 'stock_levels', { item: 'milk' }),
          ],
        },
        { calls: [call('call_e', 'stock_level', { items: 1 }), call('call_f', 'label', {})] },
        { text: 'There are 12 kg of flour.' },
      ]);
      expect(result).toMatchObject({ ok: true, text: 'There are 12 kg of flour.' });
      expect(result.steps.map(({ calls }) => calls.map(({ callId, result: { ok } }) => `${callId} ${ok}`))).toEqual([
        ['call_b true', 'call_d true', 'call_a false', 'call_c false'],
        ['call_e false', 'call_f true'],
        [],
      ]);
      expect(result.steps[0]?.calls[1]?.answeredFrom).toBe('call_b');
      expect(result.usage).toMatchObject({ inputTokens: 300, cachedInputTokens: 120, outputTokens: 30 });
      const bodies = provider?.requests.map(({ body }) => body) ?? [];
      expect(bodies).toHaveLength(3);
      const told = JSON.stringify(messagesOf(bodies[1])).replaceAll('\\', '');
      for (const text of [
        'shop is closed',
        'There is no tool "stock_levels". Did you mean: stock_level?',
        'You made this call before',
      ]) {
        expect(told).toContain(text);
      }
      // The beginning stays as it was, so that the provider's cache holds.
      expect(JSON.stringify(messagesOf(bodies[2]))).toContain(
        JSON.stringify(messagesOf(bodies[1]).slice(0, 2)).slice(1, -1),
      );
      expect(bodies[2].tools).toEqual(bodies[0].tools);
      expect(JSON.stringify(bodies[0])).toContain('You bake.');
    });

    it('answers broken JSON with what is wrong', async () => {
      // Anthropic's own format cannot carry it but in a stream.
      if (name === 'anthropic' && mode === 'whole') return;
      const result = await run([{ calls: [call('call_a', 'stock_level', '{"item": "flo')] }, { text: 'Sorry.' }]);
      expect(result).toMatchObject({ ok: true, text: 'Sorry.' });
      expect(JSON.stringify(messagesOf(provider?.requests[1]?.body))).toContain('are not valid JSON');
    });

    it('answers invented names, arguments that are no object and ids used twice, in a history the provider takes', async () => {
      const calls = [
        call('call_a', 'search the web!', {}),
        call('call_a', 'stock_level', ['flour']),
        call('call_a', 'stock_level', { item: 'flour' }),
      ];
      const result = await run([{ calls }, { text: 'I see.' }]);
      expect(result).toMatchObject({ ok: true, text: 'I see.' });
      const answered = result.steps[0]?.calls ?? [];
      expect(answered.map(({ result: answer }) => answer.error?.code ?? 'ok')).toEqual([
        'not_found',
        'invalid_arguments',
        'ok',
      ]);
      // Some of the providers' packages tell them apart themselves.
      expect(new Set(answered.map(({ callId }) => callId)).size).toBe(3);
    });

    it('asks again when the server is busy or dies in the middle of a call', async () => {
      const good = { calls: [call('call_a', 'stock_level', { item: 'flour' })] };
      const result = await run([{ status: 503 }, { ...good, dies: true }, good, { text: 'Done.' }]);
      expect(result).toMatchObject({ ok: true, text: 'Done.' });
      expect(result.steps).toHaveLength(2);
      expect(provider?.requests).toHaveLength(4);
    });

    it('gives up with the reason when it goes on dying', async () => {
      const half = { text: 'Let me', calls: [call('call_a', 'stock_level', { item: 'flour' })], dies: true };
      const result = await run([half, half, half]);
      expect(result).toMatchObject({ ok: false, outcome: 'model_failed', steps: [] });
      expect(provider?.requests).toHaveLength(3);
    });

    it('does not ask again when the request is refused', async () => {
      const result = await run([{ status: 401 }]);
      expect(result).toMatchObject({
        ok: false,
        outcome: 'model_failed',
        reason: expect.stringMatching(/^The model failed: status 401 \(http.*\)\. Check the key\.$/),
      });
      expect(provider?.requests).toHaveLength(1);
    });

    it('answers 500 calls at once within its limits', async () => {
      const calls = Array.from({ length: 500 }, (_, index) =>
        call(`call_${index}`, 'stock_level', { item: `i${index}` }),
      );
      const result = await run([{ calls }, { text: 'Many.' }]);
      expect(result.ok).toBe(true);
      expect(result.steps[0]?.calls.filter(({ result: { ok } }) => ok)).toHaveLength(64);
      expect(provider?.requests).toHaveLength(2);
    });

    it('closes the connection when it is cancelled', async () => {
      const stop = new AbortController();
      const result = await run(
        [{ calls: [call('call_a', 'stock_level', { item: 'flour' })] }, { text: 'never seen' }],
        {
          signal: stop.signal,
          onEvent: (event) => event.type === 'call-start' && stop.abort(),
        },
      );
      expect(result).toMatchObject({ ok: false, outcome: 'cancelled' });
      expect(provider?.requests).toHaveLength(1);
    });
  });
});

it('sends keys and headers where they belong', async () => {
  const server = await startProvider(() => ({ text: 'ok' }));
  provider = server;
  for (const model of Object.values(MODELS))
    await runAgent(defineAgent({ name: 'a', model: model(server.url), settings: { maxOutputTokens: 9 } }), 'hi', {
      env: {},
    });
  const headers = server.requests.map((request) => request.headers);
  expect(headers[0]).toMatchObject({ authorization: 'Bearer test-key' });
  expect(headers[2]).toMatchObject({ 'x-team': 'bakery' });
  expect(headers[3]).toMatchObject({ 'x-api-key': 'test-key' });
});

it('says what to set when there is no key, no address or no such provider', async () => {
  const start = (model: ModelName | undefined, env = {}): Promise<unknown> =>
    runAgent(defineAgent({ name: 'a', model }), 'hi', { env });
  await expect(start({ provider: 'openai', model: 'm' })).rejects.toThrow(
    'The agent "a" uses openai and needs a key: set OPENAI_API_KEY in the environment, or api_key (in code apiKey) of the agent.',
  );
  await expect(start({ provider: 'openai-compatible', model: 'm' })).rejects.toThrow('needs an address: set base_url');
  await expect(start({ provider: 'opnai', model: 'm' })).rejects.toThrow(
    'Use one of: openai, anthropic, openai-compatible, ollama, lmstudio, vllm',
  );
  await expect(start(undefined)).rejects.toThrow('No model is set. Do one of these:\n- export OPENAI_API_KEY=…');
  await expect(start(undefined, { PEGBOARD_MODEL: 'gpt' })).rejects.toThrow(
    'PEGBOARD_MODEL is "gpt"; it must be PROVIDER/MODEL',
  );
});
