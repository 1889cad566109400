import { answeredBy } from '../../../guard/approval/ask-together.ts';
import { userName } from '../../../platform/user-name.ts';
import type { OpenBoardOptions } from '../../../board/open-board-options.ts';
import { askYesOrNo, promptStreams } from './ask-person.ts';
import { canAsk, type CliContext, printLine } from '../cli-context.ts';

type Approve = NonNullable<OpenBoardOptions['approve']>;
type ApproveChanges = NonNullable<OpenBoardOptions['approveChanges']>;

/** Makes the function that answers approvals: `--yes`, or the person at the terminal. `undefined` without either. */
export function createApproval(context: CliContext, isYes: boolean): Approve | undefined {
  if (isYes) return Object.assign(() => ({ allow: true, by: '--yes' }) as const, { isAutomatic: true });
  if (!canAsk(context)) return undefined;
  if (context.running !== undefined) return context.approve;
  const approve = async (request: Parameters<Approve>[0]): Promise<boolean> => {
    const signal = AbortSignal.any([context.signal, request.signal]);
    const isAllowed = await askAbout(request, { context, signal });
    if (request.signal.aborted && !context.signal.aborted)
      printLine(context.stderr, 'Question withdrawn: it was answered elsewhere, or the call ended.');
    return isAllowed;
  };
  const together: NonNullable<Approve['together']> = async (requests, over) => {
    const signal = AbortSignal.any([context.signal, over]);
    const answer = requests.length === 1 ? 'each' : await askAboutAll(requests, { context, signal });
    if (answer !== 'each') return requests.map(() => answer === 'all');
    const answers: boolean[] = [];
    for (const request of requests) answers.push(await approve(request));
    return answers;
  };
  return answeredBy(terminalUser(), Object.assign(approve, { together }));
}

/** Shows all calls that a program waits for, and asks about them in one question. */
async function askAboutAll(
  requests: readonly Parameters<Approve>[0][],
  { context, signal }: { readonly context: CliContext; readonly signal: AbortSignal },
): Promise<'all' | 'none' | 'each'> {
  const { approvalMessage } = await import('../../../guard/approval/approval-message.ts');
  // A call that is too long to show in full gets its own question.
  if (requests.some((request) => request.message.length < approvalMessage(request, Infinity).length)) return 'each';
  for (const [place, { message }] of requests.entries())
    printLine(context.stderr, `${place + 1}. ${message.replaceAll('\n', '\n   ')}`);
  const { select } = await import('@clack/prompts');
  const answer = await select({
    message: `Allow these ${requests.length} calls?`,
    options: [
      { value: 'none', label: 'No' },
      { value: 'all', label: 'Yes, all of them' },
      { value: 'each', label: 'Ask about each' },
    ],
    ...promptStreams({ ...context, signal }),
  });
  return answer === 'all' || answer === 'each' ? answer : 'none';
}

export function terminalUser(): string {
  return `${userName()} at the terminal`;
}

async function askAbout(
  request: Parameters<Approve>[0],
  { context, signal }: { readonly context: CliContext; readonly signal: AbortSignal },
): Promise<boolean> {
  const { approvalMessage } = await import('../../../guard/approval/approval-message.ts');
  const whole = approvalMessage(request, Infinity);
  let { message } = request;
  if (message.length < whole.length) {
    printLine(context.stderr, message);
    const offer = `Show all ${whole.length.toLocaleString('en')} characters before you answer?`;
    message = (await askYesOrNo(context, { message: offer, initialValue: true, signal })) ? whole : '';
  }
  if (signal.aborted) return false;
  // Keeps the tool's name beside the answer, even when the message above is long.
  const last = `Allow this call of ${request.tool} (${request.risk})?`;
  return askYesOrNo(context, { message: message === '' ? last : `${message}\n${last}`, signal });
}

/** Asks one question after the other: parallel calls must not ask over each other. */
export function inTurn(approve: Approve | undefined): Approve | undefined {
  if (approve === undefined) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  const next = <T>(ask: () => T | Promise<T>): Promise<T> => {
    const answer = last.then(ask, ask);
    last = answer;
    return answer;
  };
  const { together } = approve;
  const asked: Approve = (request) => next(() => approve(request));
  if (together === undefined) return asked;
  return Object.assign(asked, {
    together: (...question: Parameters<typeof together>) => next(() => together(...question)),
  });
}

/** Makes the function that asks the person at the terminal about tools that differ from the lock. `undefined` without a terminal. */
export function createChangeApproval(context: CliContext): ApproveChanges | undefined {
  // A board that runs already has decided about them.
  if (!canAsk(context) || context.running !== undefined) return undefined;
  return async (changes) => {
    const { describeChange } = await import('../../../features/lock/describe-change.ts');
    for (const change of changes) printLine(context.stderr, describeChange(change));
    const message = `Use ${changes.length === 1 ? 'this tool' : `these ${changes.length} tools`} from now on?`;
    return askYesOrNo(context, { message });
  };
}
