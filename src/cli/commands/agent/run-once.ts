import type { Agent } from '../../../agent/define/agent.ts';
import type { AgentEvent } from '../../../agent/loop/agent-event.ts';
import type { AgentResult } from '../../../agent/loop/agent-result.ts';
import { runAgent } from '../../../agent/loop/run-agent.ts';
import type { RunOptions } from '../../../agent/define/run-options.ts';
import { streamAgent } from '../../../agent/loop/stream-agent.ts';
import { type CliContext, printJson, printLine } from '../../cli-context.ts';
import { createStyle } from '../../print/style.ts';
import { createEventPrinter, formatUsage } from './print-event.ts';
import { text } from 'node:stream/consumers';
import { UsageError } from '../../command-line/usage-error.ts';

/** One question, one answer. The question is the option's text, or all of stdin. */
export async function runOnce(
  agent: Agent,
  given: string | undefined,
  { context, json, ...options }: Omit<RunOptions, 'context'> & { readonly context: CliContext; readonly json: boolean },
): Promise<number> {
  const question = await readQuestion(given, context);
  const run = { ...options, signal: context.signal, env: context.env };
  if (json) {
    const tell = createEventPrinter(context, agent.name);
    // A program gets no other event, but a run that waits must not look like one that hangs.
    const onEvent = (event: AgentEvent): void => void (event.type === 'waiting' && tell(event));
    const result = await runAgent(agent, question, { ...run, onEvent });
    printJson(context, toData(result));
    return result.ok ? 0 : 1;
  }
  const result = await streamAgent(agent, question, { ...run, onEvent: createEventPrinter(context, agent.name) })
    .result;
  const style = createStyle(context.stderr, context.env);
  if (context.stderr.isTTY === true) printLine(context.stderr, style.dim(formatUsage(result.usage)));
  if (result.ok) return 0;
  printLine(context.stderr, `${style.red(result.outcome)} ${result.reason}`);
  return 1;
}

/** A result for programs: what was said and done, without the messages. */
function toData(result: AgentResult): Record<string, unknown> {
  const { ok, outcome, agent, text, steps, usage } = result;
  return {
    ok,
    outcome,
    agent,
    text,
    ...(result.ok ? { output: result.output } : { reason: result.reason }),
    steps: steps.map(({ number, text: said, calls, finishReason }) => ({ number, text: said, finishReason, calls })),
    usage,
  };
}

async function readQuestion(given: string | undefined, { stdin }: CliContext): Promise<string> {
  const question = given === undefined || given === '-' ? (stdin.isTTY === true ? '' : await text(stdin)) : given;
  if (question.trim() === '')
    throw new UsageError('There is no question. Give one: --once "What can you do?"', 'agent');
  return question;
}
