import { describe, expect, it } from 'vitest';
import { ToolContext } from '../../tool/tool-context.ts';
import { ApprovalInbox } from './approval-inbox.ts';
import { firstAnswer } from './ask-together.ts';
import { createGuard } from './guard.ts';
import type { ApprovalRequest, Approve } from '../../tool/calls/approval.ts';
import { makeTool } from '../policy/make-tool.test-helper.ts';
import { createPolicy } from '../policy/policy.ts';

function question(signal = new AbortController().signal): ApprovalRequest {
  return {
    tool: 'remove',
    description: 'Remove a file.',
    risk: 'destructive',
    args: { file: 'a' },
    declared: ['file'],
    input: { file: 'a' },
    message: 'Remove a?',
    callId: 'call_1',
    context: new ToolContext(),
    signal,
  };
}

/** Returns the error that `answer` throws. */
function faultOf(inbox: ApprovalInbox, id: string): unknown {
  try {
    inbox.answer(id, { allow: true });
  } catch (error) {
    return error;
  }
  return undefined;
}

const idOf = (inbox: ApprovalInbox): string => inbox.pending()[0]?.id ?? '';

describe('ApprovalInbox', () => {
  it('stores a question until a person answers it, and notifies its listeners', async () => {
    const inbox = new ApprovalInbox({ now: () => 1000 });
    const heard: string[] = [];
    inbox.on('asked', ({ request }) => heard.push(`asked ${request.tool}`));
    inbox.on('settled', ({ outcome }) => heard.push(outcome));
    const answer = inbox.ask(question());
    expect(inbox.pending()).toMatchObject([{ since: 1000, request: { tool: 'remove', callId: 'call_1' } }]);
    inbox.answer(idOf(inbox), { allow: true });
    expect(await answer).toBe(true);
    expect([inbox.pending(), inbox.settled()]).toMatchObject([[], [{ outcome: 'allowed', at: 1000 }]]);
    expect(heard).toEqual(['asked remove', 'allowed']);
  });

  it('passes on a denial, with its reason if there is one', async () => {
    const inbox = new ApprovalInbox();
    const [first, second] = [inbox.ask(question()), inbox.ask(question())];
    inbox.answer(idOf(inbox), { allow: false, reason: ' Not on a Friday. ' });
    inbox.answer(idOf(inbox), { allow: false, reason: '  ' });
    expect([await first, await second]).toEqual([{ reason: 'Not on a Friday.' }, false]);
  });

  it('refuses a second answer, and one to an unknown question', async () => {
    const inbox = new ApprovalInbox();
    const answer = inbox.ask(question());
    const id = idOf(inbox);
    expect(faultOf(inbox, 'x')).toMatchObject({
      code: 'not_found',
      message: `There is no approval "x". These wait: ${id}.`,
    });
    inbox.answer(id, { allow: false });
    expect(faultOf(inbox, id)).toMatchObject({
      code: 'invalid_arguments',
      message: `The approval "${id}" (a call of "remove") was answered already: it was denied. The first answer counts.`,
    });
    expect(await answer).toBe(false);
    expect(faultOf(inbox, 'x')).toMatchObject({ message: 'There is no approval "x". Nothing waits for an answer.' });
  });

  it('closes a question when its call ends', async () => {
    const inbox = new ApprovalInbox();
    const call = new AbortController();
    const answer = inbox.ask(question(call.signal));
    const id = idOf(inbox);
    call.abort();
    expect(await answer).toBe(false);
    expect([inbox.pending().length, inbox.settled()[0]?.outcome]).toEqual([0, 'ended']);
    expect(faultOf(inbox, id)).toMatchObject({
      message: `The approval "${id}" (a call of "remove") is closed: the call ended, or it was answered elsewhere. The first answer counts.`,
    });
    expect(await inbox.ask(question(call.signal))).toBe(false);
  });

  it('denies waiting questions when it is closed, even if a policy approves when no one can be asked', async () => {
    const inbox = new ApprovalInbox();
    const guard = createGuard(createPolicy({ approval: { headless: 'approve' } }), { approve: inbox.ask });
    const { context, callId, signal } = question();
    const asked = new Promise((resolve) => inbox.on('asked', resolve));
    const refusal = guard({ tool: makeTool('remove'), args: {}, context, callId, signal, answers: new Map() });
    await asked;
    inbox.close();
    expect((await refusal)?.message).toBe(
      'The user was asked about this call of "remove" and did not allow it: "No one answered before the approvals were closed." Do not repeat it as it is: follow the reason given, or ask the user what to do instead.',
    );
    expect(await inbox.ask(question())).toBe('unavailable');
  });

  it('remembers only the last hundred answers', async () => {
    const inbox = new ApprovalInbox();
    for (let count = 0; count < 150; count++) {
      void inbox.ask(question());
      inbox.answer(idOf(inbox), { allow: true });
    }
    expect(inbox.settled()).toHaveLength(100);
  });
});

describe('firstAnswer', () => {
  it('takes the first answer, and cancels the other questions', async () => {
    const [page, phone] = [new ApprovalInbox(), new ApprovalInbox()];
    const answer = firstAnswer([page.ask, phone.ask])(question());
    phone.answer(idOf(phone), { allow: false, reason: 'No.' });
    expect(await answer).toEqual({ reason: 'No.' });
    expect([page.pending().length, page.settled()[0]?.outcome]).toEqual([0, 'ended']);
  });

  it('continues with the others when one cannot be asked or fails, and reports when all fail', async () => {
    const unavailable: Approve = () => 'unavailable';
    const broken: Approve = () => {
      throw new Error('the line is dead');
    };
    expect(await firstAnswer([unavailable, broken, () => true])(question())).toBe(true);
    expect(await firstAnswer([unavailable, unavailable])(question())).toBe('unavailable');
    await expect(firstAnswer([unavailable, broken])(question())).rejects.toThrow('the line is dead');
  });

  it('ends all of them with the call', async () => {
    const inbox = new ApprovalInbox();
    const call = new AbortController();
    const answer = firstAnswer([inbox.ask, () => new Promise(() => {})])(question(call.signal));
    call.abort();
    expect(await answer).toBe(false);
    expect(inbox.pending()).toEqual([]);
  });
});
