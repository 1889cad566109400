import { describe, expect, it } from 'vitest';
import { ProcessQueue } from './process-queue.ts';

const never = new AbortController().signal;

/** Requests a slot and records when it is granted. */
function ask(queue: ProcessQueue, caller: string, entered: string[], signal = never): Promise<() => void> {
  return Promise.resolve(queue.enter(caller, signal)).then((leave) => {
    entered.push(caller);
    return leave;
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ProcessQueue', () => {
  it('grants free slots at once, then to callers in turn', async () => {
    const queue = new ProcessQueue({ concurrency: 1 });
    const first = queue.enter('a', never);
    expect(typeof first).toBe('function');
    const entered: string[] = [];
    const waiting = ['a', 'a', 'a', 'b', 'b', 'c'].map((caller) => ask(queue, caller, entered));
    await settle();
    expect(entered).toEqual([]);
    if (typeof first === 'function') first();
    for (const place of [waiting[0], waiting[3], waiting[5], waiting[1], waiting[4], waiting[2]]) (await place)?.();
    expect(entered).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
    expect(typeof queue.enter('a', never)).toBe('function');
  });

  it('refuses calls beyond the queue limit, and says to retry', async () => {
    const queue = new ProcessQueue({ concurrency: 1, queue: 1 });
    const leave = queue.enter('a', never);
    const second = queue.enter('a', never);
    expect(() => queue.enter('b', never)).toThrow(
      expect.objectContaining({
        code: 'busy',
        recoverable: true,
        message:
          'The board already runs the maximum number of commands (processes.concurrency: 1), and its queue is full (processes.queue: 1). Nothing was started: try again later.',
      }),
    );
    if (typeof leave === 'function') leave();
    (await second)();
  });

  it('releases the slots of cancelled calls, and ignores a second release', async () => {
    const queue = new ProcessQueue({ concurrency: 1 });
    const controller = new AbortController();
    const leave = queue.enter('a', never);
    const entered: string[] = [];
    const gone = ask(queue, 'a', entered, controller.signal);
    const stays = ask(queue, 'b', entered);
    controller.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    await expect(ask(queue, 'c', entered, controller.signal)).rejects.toThrow('enough');
    if (typeof leave === 'function') {
      leave();
      leave();
    }
    const second = queue.enter('d', never);
    expect(second).toBeInstanceOf(Promise);
    (await stays)();
    (await second)();
    expect(entered).toEqual(['b']);
  });

  it('applies other limits at once', async () => {
    const queue = new ProcessQueue({ concurrency: 1 });
    const entered: string[] = [];
    const places = ['a', 'b', 'c'].map((caller) => ask(queue, caller, entered));
    await settle();
    expect(entered).toEqual(['a']);
    queue.configure({ concurrency: 3 });
    await Promise.all(places);
    expect(entered).toEqual(['a', 'b', 'c']);
  });
});
