import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../agent/loop/agent-result.ts';
import { createTestContext } from '../../../cli/shared/cli-context.test-helper.ts';
import { createEventPrinter } from './print-event.ts';

it('prints the text of a dropped stream once for a program, and reports the retry on stderr', () => {
  const context = createTestContext();
  const print = createEventPrinter(context, 'helper');
  const agent = 'helper';
  const events: readonly AgentEvent[] = [
    { type: 'step-start', agent, step: 1 },
    { type: 'text', agent, text: 'Milk and ' },
    { type: 'retry', agent, step: 1, attempt: 1, reason: 'cut off' },
    { type: 'text', agent, text: 'Milk ' },
    { type: 'text', agent: 'below', text: 'No.' },
    { type: 'text', agent, text: 'and bread.\n' },
  ];
  for (const event of events) print(event);
  expect(context.printed()).toEqual({ stdout: 'Milk and bread.\n', stderr: 'retry 1 cut off\n' });
});
