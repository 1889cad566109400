import type { Agent } from '../../../agent/define/agent.ts';
import type { AgentEvent } from '../../../agent/loop/agent-event.ts';
import type { AgentResult } from '../../../agent/loop/agent-result.ts';
import { runAgent } from '../../../agent/loop/run-agent.ts';
import type { RunOptions } from '../../../agent/define/run-options.ts';
import { type AgentStream, streamAgent } from '../../../agent/loop/stream-agent.ts';
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
  return printRun(
    { agent: agent.name, run: options.run },
    { context, json },
    {
      run: (onEvent) => runAgent(agent, question, { ...run, onEvent }),
      stream: (onEvent) => streamAgent(agent, question, { ...run, onEvent }),
    },
  );
}

/** A run, with or without streaming its answer. */
interface Runnable {
  readonly run: (onEvent: (event: AgentEvent) => void) => Promise<AgentResult>;
  readonly stream: (onEvent: (event: AgentEvent) => void) => AgentStream;
}

/** Prints a run of an agent: for people as it happens, for programs at its end. Gives the exit code. */
export async function printRun(
  { agent, run: id }: { readonly agent: string; readonly run: string | undefined },
  { context, json }: { readonly context: CliContext; readonly json: boolean },
  { run, stream }: Runnable,
): Promise<number> {
  const tell = createEventPrinter(context, agent);
  if (json) {
    // A program gets no other event, but a run that waits must not look like one that hangs.
    const result = await run((event) => void (event.type === 'waiting' && tell(event)));
    printJson(context, toData(result));
    return result.ok ? 0 : 1;
  }
  let hasText = false;
  const result = await stream((event) => {
    hasText ||= event.type === 'text' && event.agent === agent;
    tell(event);
  }).result;
  // A run that was over before has an answer, and nothing to stream.
  if (result.ok && !hasText && result.steps.length === 0) printLine(context.stdout, result.text);
  const style = createStyle(context.stderr, context.env);
  if (context.stderr.isTTY === true) printLine(context.stderr, style.dim(formatUsage(result.usage)));
  if (result.ok) return 0;
  printLine(context.stderr, `${style.red(result.outcome)} ${result.reason}`);
  if (id !== undefined) for (const line of describeResumption(result, id)) printLine(context.stderr, line);
  return 1;
}

/** The commands with which a kept run is resumed, where it can be. */
function describeResumption(result: AgentResult, id: string): string[] {
  if (result.outcome !== 'waiting' && result.outcome !== 'interrupted') return [];
  const answers = result.outcome === 'waiting' ? result.waitingFor : [];
  return [
    ...answers.map((approval) => `  pegboard approvals allow ${approval}   (or: deny)`),
    `  pegboard runs resume ${/^[\w./:-]+$/.test(id) ? id : JSON.stringify(id)}`,
  ];
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
    ...(result.outcome === 'waiting' ? { waitingFor: result.waitingFor } : {}),
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
