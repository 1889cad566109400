/** A call that a model asks for. */
export interface AskedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Makes calls of one round at once, as a model asks for them, and gives their texts. */
export type Round = (calls: readonly AskedCall[]) => Promise<string[]>;

/**
 * Work that a model does with tools: by calls, and by a program. Both end with the same answer. Programs rely on the types that
 * `search_tools` shows at that time, and look at values where it shows `unknown`.
 */
export interface Task {
  readonly name: string;
  /** True when results of tools go into other calls, or are far larger than the answer. */
  readonly passesData: boolean;
  /** Queries that a model would search for. */
  readonly queries: readonly string[];
  readonly direct: (round: Round) => Promise<unknown>;
  readonly code: string;
}

interface Order {
  readonly id: number;
  readonly customer: number;
  readonly total: number;
}

const one = async (round: Round, name: string, input: AskedCall['input']): Promise<string> =>
  (await round([{ name, input }]))[0] ?? '';
// Texts that are parsed below are JSON that the tools wrote, in the shape that is named.
const FILES = Array.from({ length: 20 }, (_, file) => `module${file}.txt`);

const LATE = `SELECT id, customer, total FROM orders WHERE status = 'open' AND due < '2026-06-01'`;

/** Twelve tasks over files, git, SQLite, HTTP, an MCP server and a knowledge base. */
export const TASKS: readonly Task[] = [
  {
    name: 'One sum of a database',
    passesData: false,
    queries: ['query the shop database'],
    direct: async (round) =>
      (JSON.parse(await one(round, 'sql', { query: 'SELECT SUM(total) AS sum FROM orders' })) as unknown[])[0],
    code: `return JSON.parse(await tools.sql({ query: 'SELECT SUM(total) AS sum FROM orders' }))[0];`,
  },
  {
    name: 'One customer',
    passesData: false,
    queries: ['get a customer'],
    direct: async (round) => (JSON.parse(await one(round, 'customer', { id: 7 })) as { email: string }).email,
    code: `const customer = await tools.customer({ id: 7 }); return (typeof customer === 'string' ? JSON.parse(customer) : customer).email;`,
  },
  {
    name: 'Mail addresses of late orders',
    passesData: true,
    queries: ['query the shop database', 'get a customer'],
    async direct(round) {
      const orders = JSON.parse(await one(round, 'sql', { query: LATE })) as Order[];
      const texts = await round(orders.map(({ customer }) => ({ name: 'customer', input: { id: customer } })));
      return texts.map((text) => (JSON.parse(text) as { email: string }).email);
    },
    code: `const orders = JSON.parse(await tools.sql({ query: ${JSON.stringify(LATE)} }));
const customers = await Promise.all(orders.map(({ customer }) => tools.customer({ id: customer })));
return customers.map(({ email }) => email);`,
  },
  {
    name: 'Commits by author',
    passesData: true,
    queries: ['list commits'],
    direct: async (round) => countBy((await one(round, 'git_log', {})).trim().split('\n')),
    code: `const counts = {};
for (const line of (await tools.git_log({})).trim().split('\\n')) counts[line.split('|')[1]] = (counts[line.split('|')[1]] ?? 0) + 1;
return counts;`,
  },
  {
    name: 'The largest of 15 commits',
    passesData: true,
    queries: ['list commits', 'show a commit'],
    async direct(round) {
      const commits = (await one(round, 'git_log', { max_count: 15 })).trim().split('\n');
      const ids = commits.map((line) => line.split('|')[0] ?? '');
      const shown = await round(ids.map((commit) => ({ name: 'git_show', input: { commit } })));
      const sizes = shown.map((text) => text.split('\n').length);
      return ids[sizes.indexOf(Math.max(...sizes))];
    },
    code: `const ids = (await tools.git_log({ max_count: 15 })).trim().split('\\n').map((line) => line.split('|')[0]);
const sizes = (await Promise.all(ids.map((commit) => tools.git_show({ commit })))).map((text) => text.split('\\n').length);
return ids[sizes.indexOf(Math.max(...sizes))];`,
  },
  {
    name: 'Count marks in 20 files',
    passesData: true,
    queries: ['read a text file'],
    async direct(round) {
      const texts = await round(FILES.map((path) => ({ name: 'read_text_file', input: { path } })));
      return texts.join('\n').split('TODO').length - 1;
    },
    code: `const texts = await Promise.all(Array.from({ length: 20 }, (_, n) => tools.read_text_file({ path: 'module' + n + '.txt' })));
return texts.map(({ content }) => content).join('\\n').split('TODO').length - 1;`,
  },
  {
    name: 'Copy a file with a change',
    passesData: true,
    queries: ['read a text file', 'write a file'],
    async direct(round) {
      const text = await one(round, 'read_text_file', { path: 'module19.txt' });
      await one(round, 'write_file', { path: 'copy.txt', content: text.replaceAll('TODO', 'DONE') });
      return 'copied';
    },
    code: `const { content } = await tools.read_text_file({ path: 'module19.txt' });
await tools.write_file({ path: 'copy.txt', content: content.replaceAll('TODO', 'DONE') });
return 'copied';`,
  },
  {
    name: 'Invoices that differ from orders',
    passesData: true,
    queries: ['list invoices', 'query the shop database'],
    async direct(round) {
      const [invoices = '', orders = ''] = await round([
        { name: 'invoices', input: {} },
        { name: 'sql', input: { query: 'SELECT id, total FROM orders' } },
      ]);
      const totals = new Map((JSON.parse(orders) as Order[]).map(({ id, total }) => [id, total]));
      return (JSON.parse(invoices) as { order: number; total: number }[])
        .filter(({ order, total }) => totals.get(order) !== total)
        .map(({ order }) => order);
    },
    code: `const [invoices, orders] = await Promise.all([tools.invoices({}), tools.sql({ query: 'SELECT id, total FROM orders' })]);
const totals = new Map(JSON.parse(orders).map(({ id, total }) => [id, total]));
return (typeof invoices === 'string' ? JSON.parse(invoices) : invoices).filter(({ order, total }) => totals.get(order) !== total).map(({ order }) => order);`,
  },
  {
    name: 'Find the pages for five questions',
    passesData: true,
    queries: ['search what the team knows'],
    async direct(round) {
      const texts = await round(QUESTIONS.map((query) => ({ name: 'docs-search', input: { query } })));
      return texts.map(firstPage);
    },
    code: `const texts = await Promise.all(${JSON.stringify(['approve calls', 'environment variables of commands', 'timeouts', 'cache of embeddings', 'list runs'])}.map((query) => tools['docs-search']({ query })));
return texts.map((text) => /docs\\/[\\w/-]+\\.md/.exec(typeof text === 'string' ? text : JSON.stringify(text))?.[0]);`,
  },
  {
    name: 'The largest file of a folder',
    passesData: true,
    queries: ['details of a file'],
    async direct(round) {
      const texts = await round(FILES.map((path) => ({ name: 'get_file_info', input: { path } })));
      const sizes = texts.map((text) => Number(/size: (\d+)/.exec(text)?.[1]));
      return FILES[sizes.indexOf(Math.max(...sizes))];
    },
    code: `const files = Array.from({ length: 20 }, (_, n) => 'module' + n + '.txt');
const texts = await Promise.all(files.map((path) => tools.get_file_info({ path })));
const sizes = texts.map(({ content }) => Number(/size: (\\d+)/.exec(content)?.[1]));
return files[sizes.indexOf(Math.max(...sizes))];`,
  },
  {
    name: 'Write orders as CSV',
    passesData: true,
    queries: ['query the shop database', 'write a file'],
    async direct(round) {
      const orders = JSON.parse(
        await one(round, 'sql', { query: 'SELECT id, customer, total FROM orders' }),
      ) as Order[];
      const content = orders.map(({ id, customer, total }) => `${id},${customer},${total}`).join('\n');
      await one(round, 'write_file', { path: 'orders.csv', content });
      return orders.length;
    },
    code: `const orders = JSON.parse(await tools.sql({ query: 'SELECT id, customer, total FROM orders' }));
await tools.write_file({ path: 'orders.csv', content: orders.map(({ id, customer, total }) => [id, customer, total].join()).join('\\n') });
return orders.length;`,
  },
  {
    name: 'Total of the customers of a city',
    passesData: true,
    queries: ['query the shop database', 'get a customer'],
    async direct(round) {
      const totals = JSON.parse(
        await one(round, 'sql', {
          query: 'SELECT customer, SUM(total) AS total FROM orders GROUP BY customer LIMIT 20',
        }),
      ) as Order[];
      const texts = await round(totals.map(({ customer }) => ({ name: 'customer', input: { id: customer } })));
      return totals
        .filter((_, place) => texts[place]?.includes('Springfield'))
        .reduce((sum, { total }) => sum + total, 0);
    },
    code: `const totals = JSON.parse(await tools.sql({ query: 'SELECT customer, SUM(total) AS total FROM orders GROUP BY customer LIMIT 20' }));
const found = await Promise.all(totals.map(({ customer }) => tools.customer({ id: customer })));
return totals.filter((_, place) => JSON.stringify(found[place]).includes('Springfield')).reduce((sum, { total }) => sum + total, 0);`,
  },
];

const QUESTIONS = [
  'approve calls',
  'environment variables of commands',
  'timeouts',
  'cache of embeddings',
  'list runs',
];

function firstPage(text: string): string | undefined {
  return /docs\/[\w/-]+\.md/.exec(text)?.[0];
}

function countBy(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const author = line.split('|')[1] ?? '';
    counts[author] = (counts[author] ?? 0) + 1;
  }
  return counts;
}
