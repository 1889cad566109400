import { resolve } from 'node:path';
import { defineCommand } from '../../command-line/command.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** `pegboard store copy`: from one store to another. */
export const storeCopy = defineCommand({
  name: 'store copy',
  description:
    'Copies everything that one store holds to an empty one. FROM and TO are data folders, such as .pegboard, or addresses of PostgreSQL. Stop the boards that use it first: what they write meanwhile may be missing.',
  arguments: [
    { name: 'FROM', description: 'A data folder, or an address of PostgreSQL', required: true },
    { name: 'TO', description: 'An empty one', required: true },
  ],
  options: {},
  examples: [['pegboard store copy .pegboard "$TEAM_DB"', 'a board that outgrew its machine']],
  async run({ positionals: [from, to], context }) {
    if (from === undefined || to === undefined) throw new UsageError('Name both: FROM TO.', 'store copy');
    const { copyStore } = await import('../../../platform/store/copy-store.ts');
    const place = (text: string): string => (text.includes('://') ? text : resolve(context.cwd, text));
    const rows = await copyStore({ from: place(from), to: place(to), signal: context.signal });
    return {
      data: { copied: rows },
      view: `Copied ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
      notes:
        'Logins are sealed: give the boards of the new store the same PEGBOARD_KEY, or copy store.key into their data folders.',
    };
  },
});
