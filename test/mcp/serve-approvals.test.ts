// Several who may answer an approval: each is asked, and the first answer counts.
import { afterEach, expect, it } from 'vitest';
import { answerApproval, waitForApproval } from '../answer-approval.test-helper.ts';
import { answerOf, messagesOf, modern, openSession, post, textOf } from './http-client.test-helper.ts';
import { AUTHORIZATION, BOARD, placeBoard, startServe, TOKEN, waitForText } from './serve-process.test-helper.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanUp.splice(0)) clean();
});

async function start(approvals: string): Promise<{ url: string; link: URL }> {
  const { file, remove } = placeBoard(BOARD.replace('serve: {', `serve: { approvals: ${approvals},`));
  const child = startServe(['--http', '--port', '0', '--inspect', '--token', TOKEN, file]);
  cleanUp.push(() => {
    child.kill('SIGKILL');
    remove();
  });
  const text = await waitForText(child.stderr, /at http:\S+/);
  const [, link = ''] = /gives access\): (\S+)/.exec(text) ?? [];
  const [, url = ''] = /at (http:[^\s,]+)/.exec(text) ?? [];
  return { url, link: new URL(link) };
}

const SINK = { name: 'sink', arguments: { ship: 'Ada' } };
const ASKS = { elicitation: {} };
const ask = (params: object) => ({ method: 'tools/call', params: { ...SINK, ...params }, capabilities: ASKS });

it('a page may answer while a client with a session makes up its mind', async () => {
  const { url, link } = await start('[client, inspector]');
  const session = await openSession(url, AUTHORIZATION, ASKS);
  const messages = messagesOf(await post(url, { id: 1, method: 'tools/call', params: SINK }, session));
  expect((await messages.next()).value).toMatchObject({ method: 'elicitation/create' });
  const { id } = await waitForApproval(link);
  await answerApproval(link, id, { decision: 'allow' });
  const rest = [];
  for await (const message of messages) rest.push(message);
  expect(rest).toMatchObject([
    { method: 'notifications/cancelled' },
    { id: 1, result: { content: [{ text: 'sunk Ada\n' }] } },
  ]);
});

it('a page answers first while a stateless client is away to ask', async () => {
  const { url, link } = await start('[client, inspector]');
  const asked = await answerOf(modern(url, ask({}), AUTHORIZATION));
  const { inputRequests, requestState } = asked?.result ?? {};
  const [key = ''] = Object.keys(Object(inputRequests));
  const { id } = await waitForApproval(link);
  await answerApproval(link, id, { decision: 'deny', reason: 'Not this ship.' });
  const inputResponses = { [key]: { action: 'accept', content: { approve: true } } };
  const answer = await answerOf(modern(url, ask({ inputResponses, requestState }), AUTHORIZATION));
  expect(textOf(answer)).toContain('Not this ship.');
});

it('a stateless client answers first, and the page hears that it is over', async () => {
  const { url, link } = await start('[inspector, client]');
  const asked = await answerOf(modern(url, ask({}), AUTHORIZATION));
  const { inputRequests, requestState } = asked?.result ?? {};
  const [key = ''] = Object.keys(Object(inputRequests));
  const { id } = await waitForApproval(link);
  const inputResponses = { [key]: { action: 'accept', content: { approve: true } } };
  const answer = await answerOf(modern(url, ask({ inputResponses, requestState }), AUTHORIZATION));
  expect(textOf(answer)).toBe('sunk Ada\n');
  expect(await answerApproval(link, id, { decision: 'deny' })).toBe(409);
});

it('only the page answers where the files do not say', async () => {
  const { url, link } = await start('[inspector]');
  const call = modern(url, ask({}), AUTHORIZATION);
  const { id } = await waitForApproval(link);
  await answerApproval(link, id, { decision: 'allow' });
  expect(textOf(await answerOf(call))).toBe('sunk Ada\n');
});
