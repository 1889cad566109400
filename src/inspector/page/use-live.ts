import { useEffect, useState } from 'react';
import type { ApprovalList, BoardOverview, CallRecord, Question, QuestionList } from '../api-types.ts';
import { type Api, ApiFault } from './api.ts';

/** The state of the board, kept up to date. */
export interface Live {
  /** `replaced`: another board now uses the address, which does not accept this page's key. */
  readonly state: 'connecting' | 'live' | 'lost' | 'refused' | 'replaced';
  readonly board: BoardOverview | undefined;
  /** Counts changes of the board's tools. */
  readonly revision: number;
  /** Newest first. */
  readonly calls: readonly CallRecord[];
  readonly approvals: ApprovalList;
  /** The questions of servers, oldest first. */
  readonly questions: readonly Question[];
}

const MAX_CALLS = 200;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;

const START: Live = {
  state: 'connecting',
  board: undefined,
  revision: 0,
  calls: [],
  approvals: { pending: [], settled: [] },
  questions: [],
};

/** Follows the board while the page is open, and reconnects when the connection breaks. */
export function useLive(api: Api): Live {
  const [live, setLive] = useState(START);
  useEffect(() => {
    const stop = new AbortController();
    void follow(api, (change) => setLive((now) => ({ ...now, ...change(now) })), stop.signal);
    return () => stop.abort();
  }, [api]);
  return live;
}

type Update = (change: (now: Live) => Partial<Live>) => void;

async function follow(api: Api, update: Update, signal: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE;
  /** Counts events of the stream: a response requested before an event may be older than it. */
  let events = 0;
  /** Reads everything. Listening starts first, so that no change is missed. */
  const readAll = async (): Promise<void> => {
    const before = events;
    const [board, { calls }, approvals, { questions }] = await Promise.all([
      api.get<BoardOverview>('/api/board', signal),
      api.get<{ readonly calls: readonly CallRecord[] }>('/api/calls', signal),
      api.get<ApprovalList>('/api/approvals', signal),
      api.get<QuestionList>('/api/questions', signal),
    ]);
    update((now) => ({
      state: 'live',
      board,
      ...(events === before ? { approvals, questions } : {}),
      calls: mergeCalls(calls, now.calls),
      revision: now.revision + 1,
    }));
    pause = FIRST_PAUSE;
  };
  while (!signal.aborted) {
    try {
      let reading: Promise<void> | undefined;
      await api.listen(
        () => {
          reading = readAll();
          reading.catch(() => {});
        },
        (event) => {
          events++;
          if (event.type === 'calls') update((now) => ({ calls: mergeCalls(event.calls, now.calls) }));
          else if (event.type === 'approvals') update(() => ({ approvals: event.approvals }));
          else if (event.type === 'questions') update(() => ({ questions: event.questions }));
          else void readAll().catch(() => {});
        },
        signal,
      );
      await reading;
    } catch (error) {
      if (error instanceof ApiFault && error.status === 401)
        return update(({ board }) => ({ state: board === undefined ? 'refused' : 'replaced' }));
    }
    if (signal.aborted) return;
    // Keeps the last state: a key is valid for one start only, so a server that accepts it is the same board.
    update(() => ({ state: 'lost' }));
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Merges calls by id with their latest state, newest first. */
function mergeCalls(news: readonly CallRecord[], known: readonly CallRecord[]): CallRecord[] {
  const calls = new Map(known.map((call) => [call.id, call]));
  for (const call of news) if (calls.get(call.id)?.outcome === undefined) calls.set(call.id, call);
  return [...calls.values()].toSorted((one, other) => other.id - one.id).slice(0, MAX_CALLS);
}
