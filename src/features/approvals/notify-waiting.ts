import type { ApprovalRow } from '../../guard/approval/kept/approval-record.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import type { ApprovalNotify } from '../../tool/calls/approval.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Milliseconds that a notification may take. */
const PATIENCE = 10_000;

interface NotifyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Ends running notifications. */
  readonly closed: AbortSignal;
}

/**
 * Notifies a command and an address of a waiting question: its id, tool, caller and risk, and its arguments only if the policy asks for
 * them. Returns the reason for a failure; the question keeps waiting.
 */
export async function notifyWaiting(
  row: ApprovalRow,
  { command, url, args }: ApprovalNotify,
  options: NotifyOptions,
): Promise<string[]> {
  const body = JSON.stringify(toMessage(row, args === true));
  const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE), options.closed]);
  const deliveries = [
    ...(command === undefined ? [] : [notifyCommand(command, body, { ...options, signal })]),
    ...(url === undefined ? [] : [notifyAddress(url, body, signal)]),
  ];
  return (await Promise.all(deliveries)).filter((fault) => fault !== undefined);
}

function toMessage(row: ApprovalRow, withArguments: boolean): Readonly<Record<string, unknown>> {
  const { id, tool, risk, caller, by, createdAt, expiresAt, message } = row;
  const who = caller === '' ? by : `${by} (${caller})`;
  const text = `${who} wants to call ${tool} (${risk}). Answer with: pegboard approvals allow ${id}`;
  return { text, id, tool, risk, caller, by, createdAt, expiresAt, ...(withArguments ? { question: message } : {}) };
}

async function notifyCommand(
  [file = '', ...args]: readonly string[],
  stdin: string,
  { env, cwd, signal }: NotifyOptions & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const environment = childEnvironment({ from: env });
    const outcome = await runProcess({ file, args, cwd, env: environment, stdin, signal, capture: { limit: 10_000 } });
    if (outcome.type === 'failed') return `approval.notify: ${outcome.message}`;
    if (signal.aborted) return `approval.notify: "${file}" was ended after ${PATIENCE} ms.`;
    return outcome.code === 0 ? undefined : `approval.notify: "${file}" ended with ${outcome.code ?? outcome.signal}.`;
  } catch (error) {
    return `approval.notify: "${file}" could not be started: ${messageOf(error)}`;
  }
}

async function notifyAddress(url: string, body: string, signal: AbortSignal): Promise<string | undefined> {
  // The path of such an address often contains a secret.
  const host = URL.parse(url)?.host ?? 'the address';
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.ok ? undefined : `approval.notify: ${host} answered ${response.status}.`;
  } catch (error) {
    return `approval.notify: ${host} could not be notified: ${messageOf(error)}`;
  }
}
