// Runs one turn in a session: node talk.test-helper.ts FOLDER SESSION QUESTION. Prints events, and blocks its tool until a line arrives on
// stdin.
import { createInterface } from 'node:readline';
import { defineTool } from '../../tool/define/define-tool.ts';
import { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { openSession } from '../session/agent-session.ts';
import { defineAgent } from '../define/define-agent.ts';
import { runAgent } from './run-agent.ts';

const [folder = '', session = '', question = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const hold = defineTool({
  name: 'hold',
  description: 'Hold on.',
  schema: { type: 'object' },
  async execute() {
    const lines = createInterface({ input: process.stdin });
    say('holding');
    await new Promise((settle) => lines.once('line', settle));
    lines.close();
    return 'held';
  },
});
const model = scriptedModel([
  ({ options }) => {
    say(`starts after ${options.prompt.length - 1} messages`);
    return { calls: [{ name: 'hold' }] };
  },
  `Answer to ${question}`,
]);
const store = openBoardStore({ folder });
await runAgent(defineAgent({ name: 'talker', model }), question, {
  board: new ToolRegistry().register(hold),
  session: openSession(store, session),
  onEvent: ({ type }) => type === 'waiting' && say('waiting'),
});
await store.close();
say('done');
