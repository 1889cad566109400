import { expect, it } from 'vitest';
import { type AgentSpec, defineAgent } from './define-agent.ts';

it.each([
  [{ name: 'a b' }, 'name must be 1 to 64 of A-Z a-z 0-9 _ -; got "a b"'],
  [{ maxStep: 3 }, 'maxStep is not a known setting. Did you mean maxSteps?'],
  [{ maxSteps: 2.5 }, 'maxSteps must be a whole number, 1 or more; got 2.5'],
  [{ historyTokens: '9' }, 'historyTokens must be a whole number, 1000 or more; got "9"'],
  [{ toolChoice: 'requird' }, 'toolChoice must be auto, required, none or { tool: \'name\' }; got "requird"'],
  [{ approval: 'read' }, 'approval must be one of none, destructive, write, all; got "read"'],
  [{ tools: 'count_up' }, 'tools must be "all" or a list; got "count_up"'],
  [{ agents: {} }, 'agents must be a list; got an object'],
])('refuses a definition that makes no sense: %j', (rest, message) => {
  expect(() => defineAgent({ name: 'tester', ...rest } as AgentSpec)).toThrow(message);
});
