// Measures the cost that the agent loop adds to a step of the AI SDK's own loop.
import {
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  streamText,
  tool,
} from '../node_modules/ai/dist/index.js';
import { loadBuilt } from './load-built.ts';
import { atMost, formatFigure, publish } from './report.ts';
import { collectGarbage, medianOf, measureInRounds, ratioOf } from './rounds.ts';

const { defineAgent, runAgent, streamAgent } = await loadBuilt('agent');
const { defineTool, ToolRegistry } = await loadBuilt('index');

const STEPS = 20;
const RUNS = 60;
const WARM_UP = 60;
const ROUNDS = 25;
const BASE = 'generateText';
const STREAM_BASE = 'streamText';
const WORDS = ['There ', 'is ', 'enough ', 'flour ', 'for ', 'today.'];

const PARAMETERS = {
  type: 'object',
  properties: { item: { type: 'string' }, count: { type: 'number' } },
  required: ['item', 'count'],
} as const;
const describe = ({ item, count }: { item: string; count: number }): string => `${count} kg of ${item} in stock`;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

type Model = Exclude<LanguageModel, string>;
type Reply = Awaited<ReturnType<Extract<Model, { specificationVersion: 'v4' }>['doGenerate']>>;
type Part =
  Awaited<ReturnType<Extract<Model, { specificationVersion: 'v4' }>['doStream']>>['stream'] extends ReadableStream<
    infer P
  >
    ? P
    : never;

/** A model that answers at once: a call in every step, an answer in the last. Each call is a different one. */
function createModel(): Model {
  let step = 0;
  const reply = (): Reply => {
    step++;
    const call = {
      type: 'tool-call' as const,
      toolCallId: `call_${step}`,
      toolName: 'stock_level',
      input: `{"item":"flour","count":${step}}`,
    };
    const isLast = step === STEPS;
    return {
      content: isLast ? [{ type: 'text' as const, text: WORDS.join('') }] : [call],
      finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
      usage,
      warnings: [],
    };
  };
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.resolve(reply()),
    doStream: () => Promise.resolve({ stream: toStream(reply()) }),
  };
}

/** The parts of an answer as providers stream them: words one by one, a call's arguments in three pieces. */
function toStream({ content, finishReason, usage: used }: Reply): ReadableStream<Part> {
  const parts: Part[] = [{ type: 'stream-start', warnings: [] }];
  for (const part of content) {
    if (part.type === 'tool-call') {
      const third = Math.ceil(part.input.length / 3);
      parts.push({ type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName });
      for (let at = 0; at < part.input.length; at += third)
        parts.push({ type: 'tool-input-delta', id: part.toolCallId, delta: part.input.slice(at, at + third) });
      parts.push({ type: 'tool-input-end', id: part.toolCallId }, part);
    } else {
      parts.push({ type: 'text-start', id: '1' });
      for (const delta of WORDS) parts.push({ type: 'text-delta', id: '1', delta });
      parts.push({ type: 'text-end', id: '1' });
    }
  }
  parts.push({ type: 'finish', finishReason, usage: used });
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

const tools = {
  stock_level: tool({
    description: 'Tell how much of an item there is.',
    inputSchema: jsonSchema<{ item: string; count: number }>({ ...PARAMETERS, required: [...PARAMETERS.required] }),
    execute: describe,
  }),
};
const board = new ToolRegistry().register(
  defineTool({
    name: 'stock_level',
    description: 'Tell how much of an item there is.',
    risk: 'read',
    schema: PARAMETERS,
    execute: describe,
  }),
);

const asked = { instructions: 'Be brief.', prompt: 'How much flour is there?', tools, stopWhen: isStepCount(STEPS) };
const agentOf = (model: Model): ReturnType<typeof defineAgent> =>
  defineAgent({ name: 'bench', model, system: 'Be brief.', maxSteps: STEPS });

/** Streamed runs are read to the end, every part or event of them. */
const ways: Readonly<Record<string, () => Promise<{ steps: readonly unknown[]; text: string }>>> = {
  [BASE]: () => generateText({ model: createModel(), ...asked }),
  runAgent: () => runAgent(agentOf(createModel()), asked.prompt, { board }),
  [STREAM_BASE]: async () => {
    const result = streamText({ model: createModel(), ...asked });
    let text = '';
    for await (const part of result.stream) if (part.type === 'text-delta') text += part.text;
    return { steps: await result.steps, text };
  },
  streamAgent: async () => {
    const stream = streamAgent(agentOf(createModel()), asked.prompt, { board });
    let text = '';
    for await (const event of stream) if (event.type === 'text') text += event.text;
    return { steps: (await stream.result).steps, text };
  },
};
const baseOf = (name: string): string => (name === STREAM_BASE || name === 'streamAgent' ? STREAM_BASE : BASE);

for (const [name, run] of Object.entries(ways)) {
  const { steps, text } = await run();
  if (steps.length !== STEPS || text !== WORDS.join(''))
    throw new Error(`${name} took ${steps.length} steps to "${text}".`);
  for (let count = 0; count < WARM_UP; count++) await run();
}

const timings = await measureInRounds(
  Object.entries(ways).map(([name, run]) => ({
    name,
    async measure() {
      collectGarbage();
      const started = performance.now();
      for (let count = 0; count < RUNS; count++) await run();
      return ((performance.now() - started) * 1e3) / RUNS / STEPS;
    },
  })),
  ROUNDS,
);

publish({
  name: 'agent-loop',
  tables: [
    {
      caption: `µs per step; runs of ${STEPS} steps with a call in each but the last and a model that answers at once, median of ${ROUNDS} rounds:`,
      head: ['Loop', 'µs per step', '× AI SDK'],
      rows: Object.keys(ways).map((name) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, baseOf(name)).toFixed(2),
      ]),
    },
  ],
  bars: [
    atMost('a step of runAgent costs at most 1.2 × a step of generateText', ratioOf(timings, 'runAgent', BASE), {
      limit: 1.2,
      unit: '×',
    }),
    atMost(
      'a step of streamAgent costs at most 1.2 × a step of streamText',
      ratioOf(timings, 'streamAgent', STREAM_BASE),
      {
        limit: 1.2,
        unit: '×',
      },
    ),
  ],
});
