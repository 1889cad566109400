import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

describe('Cancellation', () => {
  it('tells those who listen once, and its signal, why', () => {
    const cancellation = new Cancellation();
    const heard: string[] = [];
    const first = (): void => void heard.push('first');
    const second = (): void => void heard.push('second');
    const third = (): void => void heard.push('third');
    for (const listener of [first, second, third]) cancellation.addEventListener('abort', listener, { once: true });
    cancellation.removeEventListener('abort', second);
    const signal = cancellation.toSignal();
    const reason = new Error('enough');
    cancellation.abort(reason);
    cancellation.abort(new Error('again'));
    cancellation.addEventListener('abort', second, { once: true });
    expect(heard).toEqual(['first', 'third']);
    expect([cancellation.aborted, cancellation.reason]).toEqual([true, reason]);
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  });

  it('gives a signal that is aborted when it was itself', () => {
    const cancellation = new Cancellation();
    const reason = new Error('enough');
    cancellation.abort(reason);
    expect(cancellation.toSignal().reason).toBe(reason);
    expect(cancellation.toSignal()).toBe(cancellation.toSignal());
  });

  it('does not tell one who stopped listening', () => {
    const cancellation = new Cancellation();
    const only = (): void => {
      throw new Error('This one was taken back.');
    };
    cancellation.addEventListener('abort', only, { once: true });
    cancellation.removeEventListener('abort', only);
    cancellation.removeEventListener('abort', only);
    cancellation.abort(new Error('enough'));
    expect(cancellation.aborted).toBe(true);
  });
});
