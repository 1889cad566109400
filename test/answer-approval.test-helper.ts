// Answers approvals as the inspector's page does.
import type { Approval, ApprovalList, InspectorEvent } from '../src/inspector/api-types.ts';

/** The link in what a command printed; `undefined` until it is there. */
export function findLink(printed: string): URL | undefined {
  const [link] = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(printed) ?? [];
  return link === undefined ? undefined : new URL(link);
}

/** Waits for the first question behind a link. */
export async function waitForApproval(link: URL): Promise<Approval> {
  const stop = new AbortController();
  const events = await fetch(new URL('/api/events', link), { headers: headersFor(link), signal: stop.signal });
  const response = await fetch(new URL('/api/approvals', link), { headers: headersFor(link) });
  // The type that the API returns at this address.
  let list = (await response.json()) as ApprovalList;
  const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (list.pending[0] === undefined) {
    const { value = '', done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error('The inspector closed before anything was asked.');
    for (const [, data = ''] of value.matchAll(/^data: (.*)$/gm)) {
      const event = JSON.parse(data) as InspectorEvent;
      if (event.type === 'approvals') list = event.approvals;
    }
  }
  stop.abort();
  return list.pending[0];
}

/** Answers a question behind a link; gives the status. */
export async function answerApproval(link: URL, id: string, answer: Readonly<Record<string, string>>): Promise<number> {
  const headers = { ...headersFor(link), 'content-type': 'application/json' };
  const body = JSON.stringify(answer);
  return (await fetch(new URL(`/api/approvals/${id}`, link), { method: 'POST', headers, body })).status;
}

/** Headers that carry the key of a link. */
export function headersFor(link: URL): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${link.hash.slice('#token='.length)}` };
}
