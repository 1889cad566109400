// What the agent loop adds to a step of the AI SDK's own loop.
import { generateText, isStepCount, jsonSchema, type LanguageModel, tool } from '../node_modules/ai/dist/index.js';
import { defineAgent, runAgent } from '../dist/agent.js';
import { defineTool, ToolRegistry } from '../dist/index.js';
import { atMost, formatFigure, publish } from './report.ts';
import { collectGarbage, medianOf, measureInRounds, ratioOf } from './rounds.ts';

const STEPS = 20;
const RUNS = 60;
const WARM_UP = 60;
const ROUNDS = 25;
const BASE = 'generateText';

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

/** A model that answers at once: a call in every step, an answer in the last. Each call is a different one. */
function createModel(): LanguageModel {
  let step = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => {
      step++;
      const call = {
        type: 'tool-call' as const,
        toolCallId: `call_${step}`,
        toolName: 'stock_level',
        input: `{"item":"flour","count":${step}}`,
      };
      const isLast = step === STEPS;
      return Promise.resolve({
        content: isLast ? [{ type: 'text' as const, text: 'Done.' }] : [call],
        finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
        usage,
        warnings: [],
      });
    },
    doStream: () => Promise.reject(new Error('not measured')),
  };
}

const tools = {
  stock_level: tool({
    description: 'Tell how much of an item there is.',
    inputSchema: jsonSchema<{ item: string; count: number }>(PARAMETERS),
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

const ways: Readonly<Record<string, () => Promise<{ steps: readonly unknown[]; text: string }>>> = {
  [BASE]: () =>
    generateText({
      model: createModel(),
      instructions: 'Be brief.',
      prompt: 'How much flour is there?',
      tools,
      stopWhen: isStepCount(STEPS),
    }),
  runAgent: () =>
    runAgent(
      defineAgent({ name: 'bench', model: createModel(), system: 'Be brief.', maxSteps: STEPS }),
      'How much flour is there?',
      { board },
    ),
};

for (const [name, run] of Object.entries(ways)) {
  const { steps, text } = await run();
  if (steps.length !== STEPS || text !== 'Done.') throw new Error(`${name} took ${steps.length} steps to "${text}".`);
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
      head: ['Loop', 'µs per step', `× ${BASE}`],
      rows: Object.keys(ways).map((name) => [
        name,
        formatFigure(medianOf(timings, name)),
        ratioOf(timings, name, BASE).toFixed(2),
      ]),
    },
  ],
  bars: [
    atMost('a step of runAgent costs at most 1.2 × a step of generateText', ratioOf(timings, 'runAgent', BASE), {
      limit: 1.2,
      unit: '×',
    }),
  ],
});
