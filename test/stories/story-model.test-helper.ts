import { startProvider, type WireReply, type WireRequest } from '../../src/agent/loop/loopback-provider.test-helper.ts';

/** The model's answers to a question, step after step; a text ends the run. Keys are parts of the question. */
const SCRIPT: Readonly<Record<string, readonly (string | { readonly name: string; readonly input: object })[]>> = {
  'Where is order 17?': [{ name: 'find_order', input: { id: 17 } }, 'It was shipped to Ada.'],
  'What do I have to buy?': [
    { name: 'list_notes', input: {} },
    { name: 'read_note', input: { file: 'shopping.md' } },
    'Milk and two loaves of bread.',
  ],
  'Remember eggs': [{ name: 'write_note', input: { file: 'party.md', text: 'eggs' } }, 'I wrote that into party.md.'],
  'How many notes are there?': [
    { name: 'search_tools', input: { query: 'list notes' } },
    { name: 'list_notes', input: {} },
    'There are three notes.',
  ],
  'Sum up my notes': [
    { name: 'list_notes', input: {} },
    '{"notes":["party.md","shopping.md","travel.md"],"summary":"You shop, travel and bake."}',
  ],
};

/** A server on this machine that stands for a model: its answers are those that the pages show. */
export async function startStoryModel(): Promise<{ readonly env: NodeJS.ProcessEnv; close(): Promise<void> }> {
  const provider = await startProvider(answer);
  return { env: { OPENAI_API_KEY: 'key-of-a-story', OPENAI_BASE_URL: provider.url }, close: () => provider.close() };
}

function answer({ body }: WireRequest): WireReply {
  const messages: readonly { readonly role: string; readonly content: unknown }[] = body.messages;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const question = JSON.stringify(messages[asked]?.content);
  const [, steps = []] = Object.entries(SCRIPT).find(([part]) => question.includes(part)) ?? [];
  const step = steps[messages.slice(asked).filter(({ role }) => role === 'assistant').length];
  if (step === undefined) return { status: 418 };
  return typeof step === 'string' ? { text: step } : { calls: [{ id: `call_${messages.length}`, ...step }] };
}
