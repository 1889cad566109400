import { describe, expect, it } from 'vitest';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { withPage } from '../../tool/calls/call-owner.ts';
import { createGuard } from './guard.ts';
import type { Approve } from '../../tool/calls/approval.ts';
import { makeTool } from '../policy/make-tool.test-helper.ts';
import { createPolicy } from '../policy/policy.ts';

const read = makeTool('list_files', { risk: 'read' });
const remove = makeTool('remove', { risk: 'destructive' }, { file: { type: 'string' } });

function request(tool: Tool, args = {}, signal = new AbortController().signal): GuardRequest {
  return { tool, args, context: new ToolContext(), callId: 'call_1', signal, answers: new Map() };
}

const forever: Approve = () => new Promise(() => {});

describe('createGuard', () => {
  it('refuses a tool that the policy forbids, on the call itself and without asking', async () => {
    const guard = createGuard(createPolicy({ deny: ['remove'], approval: { headless: 'approve' } }), {
      approve: () => {
        throw new Error('asked');
      },
    });
    const error = await guard(request(remove, { file: 'a' }));
    expect(error?.toJSON()).toEqual({
      code: 'permission_denied',
      message:
        'The policy does not allow "remove": the rule deny[0] ("remove") forbids it. Do not call it again: use another tool, or tell the user what you need it for.',
      tool: 'remove',
      reason: 'the rule deny[0] ("remove") forbids it',
      recoverable: false,
    });
  });

  it('refuses calls of a page whose arguments exceed the rights of pages', async () => {
    const get = makeTool('get', { risk: 'read', argumentRisks: { all: 'write', force: 'destructive' } });
    const context = new ToolContext(withPage({}, 'ui://page'));
    const judge = async (section: object, args: object): Promise<string | undefined> => {
      const guard = createGuard(createPolicy({ approval: { global: 'none' }, ...section }));
      expect(await guard(request(get, args))).toBeUndefined();
      return (await guard({ ...request(get, args), context }))?.reason;
    };
    const closed = { apps: { allow: [{ risk: 'read' }] } };
    expect(await judge(closed, { all: false })).toBeUndefined();
    expect(await judge(closed, { all: true })).toBe(
      'with all it is write, and it is not among the calls that the policy lets apps make',
    );
    const open = { apps: { deny: [{ risk: 'destructive' }] } };
    expect(await judge(open, { all: true })).toBeUndefined();
    expect(await judge(open, { all: true, force: 'x' })).toBe(
      'with force it is destructive, and the rule apps.deny[0] (risk "destructive") forbids it to apps',
    );
  });

  it('refuses arguments beyond the limits before anybody is asked', async () => {
    const policy = createPolicy({ tools: { remove: { args: { file: { pattern: 'tmp/.*' } } } } });
    const error = await createGuard(policy, { approve: forever })(request(remove, { file: '/etc/passwd' }));
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      field: 'file',
      reason: 'must match the pattern tmp/.* as a whole under the policy; got "/etc/passwd"',
      toolName: 'remove',
    });
    expect(error?.message).toBe(
      'Invalid arguments for "remove":\n- file: must match the pattern tmp/.* as a whole under the policy; got "/etc/passwd"\nIt takes: file (string, optional). Correct these and call again.',
    );
  });

  it('denies when no one can be asked, unless the policy approves', async () => {
    const error = await createGuard(createPolicy({}))(request(remove));
    expect(error?.code).toBe('approval_required');
    expect(error?.message).toBe(
      'A person must approve calls of "remove" (risk: destructive), and no one can be asked here. Tell the user what you would do with it, so that they can do it themselves or change the policy.',
    );
    expect(await createGuard(createPolicy({ approval: { headless: 'approve' } }))(request(remove))).toBeUndefined();
  });

  it('passes the reason of a denial to the model, with hidden characters visible', async () => {
    const guard = createGuard(createPolicy({}), { approve: () => ({ reason: 'Use archive\u202E instead.' }) });
    const error = await guard(request(remove));
    expect(error).toMatchObject({ code: 'permission_denied', reason: String.raw`Use archive\u202e instead.` });
    expect(error?.message).toBe(
      String.raw`The user was asked about this call of "remove" and did not allow it: "Use archive\u202e instead." Do not repeat it as it is: follow the reason given, or ask the user what to do instead.`,
    );
  });

  it('asks nobody about calls that need no approval', async () => {
    expect(await createGuard(createPolicy({}), { approve: forever })(request(read))).toBeUndefined();
  });

  it('shows the person the requested call', async () => {
    let asked: unknown;
    const guard = createGuard(createPolicy({}), {
      approve: (question) => {
        asked = question;
        return true;
      },
      confirmMessage: async ({ tool }) => (tool === remove ? 'Remove {file} for good?' : undefined),
    });
    const call = request(remove, { file: 'a\u001b[1mb' });
    expect(await guard(call)).toBeUndefined();
    expect(asked).toEqual({
      tool: 'remove',
      description: 'The tool remove.',
      risk: 'destructive',
      args: { file: 'a\\u001b[1mb' },
      input: { file: 'a\u001b[1mb' },
      declared: ['file'],
      template: 'Remove {file} for good?',
      message: String.raw`remove (destructive): Remove "a\u001b[1mb" for good?`,
      callId: 'call_1',
      context: call.context,
      signal: call.signal,
    });
  });

  it('follows the policy when the callback finds no one to ask', async () => {
    const approve = async () => 'unavailable' as const;
    const error = await createGuard(createPolicy({}), { approve })(request(remove));
    expect(error?.code).toBe('approval_required');
    const headless = createPolicy({ approval: { headless: 'approve' } });
    expect(await createGuard(headless, { approve })(request(remove))).toBeUndefined();
  });

  it('treats anything but true as a denial', async () => {
    // Values that a callback written in JavaScript may return.
    for (const answer of [false, 'no', 1, undefined, {}] as unknown as boolean[]) {
      const error = await createGuard(createPolicy({}), { approve: async () => answer })(request(remove));
      expect(error?.code).toBe('permission_denied');
      expect(error?.message).toBe(
        'The user was asked about this call of "remove" and said no. Do not repeat it: ask the user what to do instead.',
      );
    }
  });

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('no terminal');
      },
    ],
    ['rejects', (): Promise<boolean> => Promise.reject(new Error('no terminal'))],
  ])('does not run the call when asking %s', async (_, approve) => {
    const error = await createGuard(createPolicy({}), { approve })(request(remove));
    expect(error?.code).toBe('approval_required');
    expect(error?.message).toBe(
      'A person must approve calls of "remove", and asking them failed. Tell the user that they were not asked.',
    );
    expect(error?.cause).toEqual(new Error('no terminal'));
  });

  it('waits for an answer at most until the call ends', async () => {
    const controller = new AbortController();
    const waiting = createGuard(createPolicy({}), { approve: forever })(request(remove, {}, controller.signal));
    controller.abort(new Error('gone'));
    const error = await waiting;
    expect(error?.code).toBe('cancelled');
    expect(error?.message).toBe('The call of "remove" ended before anybody had approved it.');
  });

  it('passes on why the call ended, and ignores what the callback does after that', async () => {
    const timeout = new ToolError({ code: 'timeout', message: 'Too late.' });
    const controller = new AbortController();
    const late = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    const guard = createGuard(createPolicy({}), {
      approve: () => {
        asked.resolve();
        return late.promise;
      },
    });
    const waiting = guard(request(remove, {}, controller.signal));
    await asked.promise;
    controller.abort(timeout);
    expect(await waiting).toBe(timeout);
    late.reject(new Error('window closed'));
    expect(await guard(request(remove, {}, controller.signal))).toBe(timeout);
  });

  it('separates the answers to simultaneous calls', async () => {
    const answers = new Map<string, (yes: boolean) => void>();
    const all = Promise.withResolvers<void>();
    const guard = createGuard(createPolicy({}), {
      approve: ({ message }) =>
        new Promise((resolve) => {
          if (answers.set(message, resolve).size === 3) all.resolve();
        }),
      confirmMessage: () => '{file}',
    });
    const asked = (file: string): string => `remove (destructive): "${file}"`;
    const calls = ['a', 'b', 'c'].map((file) => guard(request(remove, { file })));
    await all.promise;
    answers.get(asked('c'))?.(true);
    answers.get(asked('b'))?.(false);
    expect(await calls[2]).toBeUndefined();
    expect((await calls[1])?.code).toBe('permission_denied');
    answers.get(asked('a'))?.(true);
    expect(await calls[0]).toBeUndefined();
  });

  it('does not wait for the text of the question after the call, and does not run it when the text fails', async () => {
    const controller = new AbortController();
    const stuck = createGuard(createPolicy({}), { approve: () => true, confirmMessage: () => new Promise(() => {}) });
    const waiting = stuck(request(remove, {}, controller.signal));
    controller.abort();
    expect((await waiting)?.code).toBe('cancelled');
    const failing = createGuard(createPolicy({}), {
      approve: () => true,
      confirmMessage: () => Promise.reject(new Error('no words')),
    });
    expect((await failing(request(remove)))?.code).toBe('approval_required');
  });

  it('treats an approval that arrives at the end of the call as too late', async () => {
    const controller = new AbortController();
    const guard = createGuard(createPolicy({}), {
      approve: () => {
        controller.abort();
        return true;
      },
    });
    expect((await guard(request(remove, {}, controller.signal)))?.code).toBe('cancelled');
  });

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const drop = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => (listeners++, add(...given));
    signal.removeEventListener = (...given: Parameters<typeof drop>) => (listeners--, drop(...given));
    await createGuard(createPolicy({}), { approve: () => true })(request(remove, {}, signal));
    expect(listeners).toBe(0);
  });
});
