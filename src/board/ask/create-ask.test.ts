import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Board, defineFeature, definePlugin, defineTool, openBoard, section, ToolContext } from '../../index.ts';
import type { OpenBoardOptions } from '../open-board-options.ts';
import { withClient } from '../../tool/calls/call-owner.ts';
import type { AskedPerson, ElicitResult } from '../../tool/calls/elicitation.ts';
import { createAsk } from './create-ask.ts';

const origin = { tool: 'greet', source: 'desk', signal: new AbortController().signal };
const request = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object' } } as const;

function answering(name: string): () => ElicitResult {
  return () => ({ action: 'accept', content: { name } });
}

function personOf(name: string, opensPages = true): AskedPerson {
  return { elicit: answering(name), opensPages, answerer: {} };
}

/** The context of a call that a client makes. */
function contextOf(person: AskedPerson | undefined, metadata = {}): ToolContext {
  return new ToolContext(withClient(metadata, { user: '', session: 's', person }));
}

describe('a question', () => {
  it('goes to who the call names, then to its client, then to who opened the board', async () => {
    const ask = createAsk({ elicit: answering('board') });
    const asked = (context: ToolContext): Promise<ElicitResult> => ask({ kind: 'question', request, origin }, context);
    const client = personOf('client');
    expect(await asked(contextOf(client, { elicit: answering('code') }))).toMatchObject({ content: { name: 'code' } });
    expect(await asked(contextOf(client))).toMatchObject({ content: { name: 'client' } });
    expect(await asked(contextOf(undefined))).toMatchObject({ content: { name: 'board' } });
    expect(ask.reach(contextOf(client)).person).toBe(client);
  });

  it('is declined where there is no person', async () => {
    expect(await createAsk({})({ kind: 'question', request, origin }, new ToolContext())).toEqual({
      action: 'decline',
    });
  });

  it('stays with the client when a hook replaces the metadata of the call', async () => {
    const context = contextOf(personOf('client')).withMetadata({});
    const answer = await createAsk({})({ kind: 'question', request, origin }, context);
    expect(answer).toMatchObject({ content: { name: 'client' } });
  });
});

describe('a sample', () => {
  it('is written by the model that the client lends, and refused without one', async () => {
    const ask = createAsk({});
    const sample = { kind: 'sample', request: { messages: [] }, origin } as const;
    const model = { sample: () => ({ role: 'assistant' }), answerer: {} };
    const lent = new ToolContext(withClient({}, { user: '', session: 's', model }));
    expect(await ask(sample, lent)).toEqual({ role: 'assistant' });
    await expect(ask(sample, new ToolContext())).rejects.toThrow('The caller of the tool lends no model.');
  });
});

describe('a login', () => {
  const url = 'https://login.example/';
  const page = { message: 'Log in.', elicitationId: 'x', origin };

  it('of the board goes to who opened it, and of a user to the person of the call', async () => {
    const login = { redirectUri: 'http://127.0.0.1:1/', authorize: async () => 'http://127.0.0.1:1/?code=c' };
    const ask = createAsk({ login });
    expect(ask.redirectUri).toBe(login.redirectUri);
    const back = { action: 'accept', address: 'http://127.0.0.1:1/?code=c' };
    expect(await ask({ kind: 'login', url }, new ToolContext())).toEqual(back);
    const asked = await ask({ kind: 'login', url, page }, contextOf(personOf('client')));
    expect(asked).toMatchObject({ action: 'accept', content: { name: 'client' } });
  });

  it('is declined where no page can be opened', async () => {
    const ask = createAsk({});
    expect(await ask({ kind: 'login', url, page }, contextOf(personOf('client', false)))).toEqual({
      action: 'decline',
    });
    expect(await ask({ kind: 'login', url }, new ToolContext())).toEqual({ action: 'decline' });
  });
});

/** A board with a feature whose guard has a person asked about each call. */
async function openCareful(options: OpenBoardOptions): Promise<Board> {
  const careful = defineFeature({
    name: 'careful',
    sections: { careful: section({ schema: z.boolean() }) },
    open: (_, host) => ({
      async guard(call) {
        const answer = await host.ask({ kind: 'approval', call }, call.context);
        return answer.allow ? undefined : answer.error;
      },
    }),
  });
  const send = defineTool({ name: 'send', description: 'Sends.', schema: z.object({}), execute: () => 'sent' });
  const plugins = [definePlugin({ features: [careful] })];
  const board = await openBoard({ tools: [send], plugins, sections: { careful: true }, ...options });
  onTestFinished(() => board.close());
  return board;
}

describe('an approval', () => {
  it('is asked by the guard of a feature, of whoever the board asks', async () => {
    const asked: string[] = [];
    const board = await openCareful({
      approve({ message }) {
        asked.push(message);
        return { allow: true, by: 'Ada' };
      },
    });
    const { text, meta } = await board.call('send');
    expect([text, meta?.approval?.by, asked]).toEqual(['sent', 'Ada', ['Allow send (write) without arguments?']]);
  });

  it('is refused where no one can be asked, whoever the call names', async () => {
    const board = await openCareful({});
    const { error } = await board.call('send', {}, { context: { approve: () => true, elicit: answering('caller') } });
    expect(error?.code).toBe('approval_required');
  });
});
