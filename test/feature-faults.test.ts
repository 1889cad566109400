// A feature of a plugin that throws or never answers: the board works on, and reports the feature by name.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  type Board,
  defineFeature,
  definePlugin,
  defineTool,
  type Feature,
  openBoard,
  type OpenBoardOptions,
  type OpenFeature,
  ToolContext,
} from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const ping = defineTool({
  name: 'ping',
  description: 'Answer',
  risk: 'write',
  schema: z.object({}),
  execute: () => 'pong',
});
const never = (): Promise<never> => new Promise(() => {});
const fail = (): never => {
  throw new Error('no luck');
};

/** A feature whose parts may be exchanged between two reloads. */
function feature(open: () => OpenFeature | Promise<OpenFeature>): Feature {
  return defineFeature({
    name: 'odd',
    isWanted: () => true,
    open: async () => ({ isStale: () => true, ...(await open()) }),
  });
}

async function open(plugged: Feature, options: OpenBoardOptions = {}): Promise<Board> {
  const board = await openBoard({ tools: [ping], plugins: [definePlugin({ features: [plugged] })], ...options });
  onTestFinished(() => board.close());
  return board;
}

/** Waits for a promise, and lets as much time pass as it needs. */
async function later<T>(work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const settled = work.finally(() => (state.isOver = true));
  settled.catch(() => {});
  while (!state.isOver) await vi.advanceTimersByTimeAsync(1_000);
  return settled;
}

describe('a feature of a plugin', () => {
  it.each(['tools', 'gate'] as const)('that never answers %s() ends a reload, not the calls', async (part) => {
    let parts: OpenFeature = {};
    const board = await open(feature(() => parts));
    parts = { [part]: never };
    const reloading = board.reload();
    expect((await board.call('ping')).text).toBe('pong');
    const outcome = await later(reloading);
    expect(outcome.ok ? '' : outcome.error.message).toContain(
      `the feature "odd" did not finish ${part}() within 30 s.`,
    );
    expect((await board.call('ping')).text).toBe('pong');
    parts = {};
    expect(await later(board.reload())).toEqual({ ok: true });
  });

  it.each(['tools', 'gate', 'filter', 'listed', 'equip'] as const)('that throws in %s() is named', async (part) => {
    await expect(open(feature(() => ({ [part]: fail })))).rejects.toThrow(
      `the feature "odd" failed in ${part}(): no luck`,
    );
  });

  it('that cannot name its own files lets no tool write any', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-odd-'));
    const data = mkdtempSync(join(tmpdir(), 'pegboard-odd-data-'));
    onTestFinished(() => [folder, data].forEach((path) => rmSync(path, { recursive: true, force: true })));
    const args = [{ name: 'file', positional: true, required: true }];
    const touch = { name: 'touch', type: 'cli', description: 'Touch', command: 'touch', paths: ['file'], args };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ tools: [{ ...touch, risk: 'write' }] }));
    const plugins = [definePlugin({ features: [feature(() => ({ ownFiles: fail }))] })];
    const board = await openBoard('pegboard.yaml', { plugins, cwd: folder, data });
    onTestFinished(() => board.close());
    expect((await board.call('touch', { file: 'own.txt' })).error?.message).toContain(
      'the feature "odd" failed in ownFiles(): no luck',
    );
    expect(readdirSync(folder)).toEqual(['pegboard.yaml']);
  });

  it('that never opens ends a reload, and is closed when it opens after all', async () => {
    let opening: Promise<OpenFeature> = Promise.resolve({});
    const board = await open(feature(() => opening));
    const { promise, resolve } = Promise.withResolvers<OpenFeature>();
    opening = promise;
    const outcome = await later(board.reload());
    expect(outcome.ok ? '' : outcome.error.message).toContain(
      'the feature "odd" cannot be opened: the feature "odd" did not finish open() within 30 s',
    );
    const close = vi.fn<() => void>();
    resolve({ close });
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
  });

  it('that never brings a tool lets the call of an unknown name end, and is reported', async () => {
    const board = await open(feature(() => ({ pending: never, ready: never })));
    expect((await later(board.call('pong'))).error?.code).toBe('not_found');
    await later(board.ready());
    expect(board.diagnostics.map(({ message }) => message)).toEqual([
      'the feature "odd" did not finish pending() within 30 s.',
      'the feature "odd" did not finish ready() within 30 s.',
    ]);
  });

  it('that fails in pending() does not fail the call', async () => {
    const board = await open(feature(() => ({ pending: fail })));
    expect((await board.call('pong')).error?.code).toBe('not_found');
    expect(board.diagnostics.map(({ message }) => message)).toEqual(['the feature "odd" failed in pending(): no luck']);
  });

  it.each([
    ['throws in', fail, 'the feature "odd" failed in status(): no luck'],
    ['never answers', never, 'the feature "odd" did not finish status() within 30 s.'],
  ] as const)('that %s status() and doctor() has its failure there', async (_, part, message) => {
    const board = await open(feature(() => ({ status: part, doctor: part })));
    const odd = board.features.find((one) => one.feature.name === 'odd');
    expect(await later(Promise.resolve(odd?.status?.()))).toEqual([['error', message]]);
    expect(await later(Promise.resolve(odd?.doctor?.()))).toEqual([
      { name: 'feature', status: 'warning', detail: message.replace('status', 'doctor') },
    ]);
  });

  it('that cannot judge a resource keeps it from callers', async () => {
    const board = await open(
      feature(() => ({ allowsOffer: fail })),
      { sections: { resources: [{ uri: 'docs://a', text: 'a' }] } },
    );
    expect(board.offers.resources({ context: new ToolContext() })).toEqual([]);
  });

  it('that never closes lets the board close', async () => {
    const board = await open(feature(() => ({ close: never, retire: never })));
    await later(board.close());
  });
});

describe('a guard of a plugin that asks a person', () => {
  const careful = defineFeature({
    name: 'careful',
    isWanted: () => true,
    open: (_, host) => ({
      async guard(call) {
        const answer = await host.ask({ kind: 'approval', call }, call.context);
        return answer.allow ? undefined : answer.error;
      },
    }),
  });
  /** All that a caller could write into its call to be its own approver. */
  const own = {
    approve: () => true,
    asking: { keeper: { approve: () => true, ask: async () => ({ allow: true, by: 'me' }) } },
    answers: new Map([[undefined, { allow: true }]]),
  };

  it('asks the board’s person, never one whom the caller names', async () => {
    const approve = vi.fn<() => boolean>(() => false);
    const board = await open(careful, { approve });
    const result = await board.call('ping', {}, { context: own, ...own });
    expect(result.error?.code).toBe('permission_denied');
    expect(approve).toHaveBeenCalledOnce();
  });

  it('refuses the call where the board has nobody to ask', async () => {
    const board = await open(careful);
    expect((await board.call('ping', {}, { context: own, ...own })).error?.code).toBe('approval_required');
  });

  it('asks about calls that tools make too, and lets no tool answer for them', async () => {
    const asked: string[] = [];
    const outer = defineTool({
      name: 'outer',
      description: 'Calls another',
      risk: 'read',
      schema: z.object({}),
      execute: async (_, context) => (await board.call('ping', {}, { context: context.mergeMetadata(own) })).text,
    });
    const board = await open(careful, {
      tools: [ping, outer],
      approve: ({ tool }) => asked.push(tool) > 0 && tool === 'outer',
    });
    expect((await board.call('outer')).text).toContain('ping');
    expect(asked).toEqual(['outer', 'ping']);
  });
});
