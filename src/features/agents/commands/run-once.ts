import type { Agent } from '../../../agent/define/agent.ts';
import type { AgentEvent, AgentResult } from '../../../agent/loop/agent-result.ts';
import { runAgent, type AgentStream, streamAgent } from '../../../agent/loop/run-agent.ts';
import type { RunOptions } from '../../../agent/define/run-options.ts';
import { type CliContext, printJson, printLine } from '../../../cli/shared/cli-context.ts';
import { createStyle } from '../../../cli/shared/print/style.ts';
import { createEventPrinter, formatUsage } from './print-event.ts';
import { text } from 'node:stream/consumers';
import { UsageError } from '../../../cli/shared/usage-error.ts';

/** Asks one question, given as text or on stdin, and prints the answer. */
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

/** Prints a run: as it happens for people, at its end for programs. Returns the exit code. */
export async function printRun(
  { agent, run: id }: { readonly agent: string; readonly run: string | undefined },
  { context, json }: { readonly context: CliContext; readonly json: boolean },
  { run, stream }: Runnable,
): Promise<number> {
  const printEvent = createEventPrinter(context, agent);
  if (json) {
    // Programs get no other events, but a waiting run must not look hung.
    const result = await run((event) => void (event.type === 'waiting' && printEvent(event)));
    printJson(context, toData(result));
    return result.ok ? 0 : 1;
  }
  let hasText = false;
  const result = await stream((event) => {
    hasText ||= event.type === 'text' && event.agent === agent;
    printEvent(event);
  }).result;
  // A run that had already ended has an answer but nothing to stream.
  if (result.ok && !hasText && result.steps.length === 0) printLine(context.stdout, result.text);
  const style = createStyle(context.stderr, context.env);
  if (context.stderr.isTTY === true) printLine(context.stderr, style.dim(formatUsage(result.usage)));
  if (result.ok) return 0;
  printLine(context.stderr, `${style.red(result.outcome)} ${result.reason}`);
  if (id !== undefined) for (const line of describeResumption(result, id)) printLine(context.stderr, line);
  return 1;
}

/** Lists the commands that resume a stored run, if it can be resumed. */
function describeResumption(result: AgentResult, id: string): string[] {
  if (result.outcome !== 'waiting' && result.outcome !== 'interrupted') return [];
  const answers = result.outcome === 'waiting' ? result.waitingFor : [];
  return [
    ...answers.map((approval) => `  pegboard approvals allow ${approval}   (or: deny)`),
    `  pegboard runs resume ${/^[\w./:-]+$/.test(id) ? id : JSON.stringify(id)}`,
  ];
}

/** Converts a result to JSON for programs, without the messages. */
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
    throw new UsageError('There is no question. Pass one: --once "What can you do?"', 'agent');
  return question;
}
