import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

describe('Cancellation', () => {
  it('calls its listeners once, and aborts its signal with the reason', () => {
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

  it('returns an aborted signal when it is aborted itself', () => {
    const cancellation = new Cancellation();
    const reason = new Error('enough');
    cancellation.abort(reason);
    expect(cancellation.toSignal().reason).toBe(reason);
    expect(cancellation.toSignal()).toBe(cancellation.toSignal());
  });

  it('does not call a removed listener', () => {
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
