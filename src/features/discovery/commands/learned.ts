import { discovery } from '../feature.ts';
import type { Board } from '../../../board/board.ts';
import { forgetLearned, LEARNED_SPACE, readLearned } from '../../../discovery/learn/create-learner.ts';
import { nearestNames } from '../../../tool/texts/suggest.ts';
import { permittingNames } from '../../../tool/tool-names.ts';
import { toCell } from '../../../cli/shared/print/columns.ts';
import { defineCommand, flag } from '../../../cli/shared/command.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { redactorOf } from '../../../cli/shared/board/use-board.ts';

export const learned = defineCommand({
  name: 'learned',
  description:
    'Lists which queries led to which tools, learned by a board with discovery.learn, newest first. Delete them with --forget.',
  arguments: [{ name: 'TOOLS', description: 'Only these tools', multiple: true }],
  options: {
    forget: flag('Delete what was learned about the named tools'),
    all: flag('With --forget: delete everything'),
  },
  examples: [
    ['pegboard learned', 'everything'],
    ['pegboard learned --forget git_status', 'start over for one tool'],
    ['pegboard learned --forget --all', 'start over'],
  ],
  parse({ values, positionals }) {
    if (values.all && !values.forget) throw new UsageError('--all needs --forget.', 'learned');
    if (values.forget && values.all === positionals.length > 0) {
      throw new UsageError('--forget needs the names of tools, or --all.', 'learned');
    }
  },
  board: { mode: 'look' },
  async run({ values, positionals, board }) {
    const store = board.store.space(LEARNED_SPACE);
    const redactor = redactorOf(board);
    const all = (await readLearned(store)).toReversed();
    const named = new Set(positionals.flatMap((name) => allNamesOf(name, board)));
    const wanted = positionals.length === 0 ? all : all.filter(({ tool }) => named.has(tool));
    const unknown = positionals.find((name) => !all.some(({ tool }) => allNamesOf(name, board).includes(tool)));
    if (unknown !== undefined && wanted.length === 0) {
      const [nearest] = nearestNames(unknown, new Set(all.map(({ tool }) => tool)), 1);
      const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
      const notes = `Nothing was learned about "${unknown}".${hint}`;
      return { data: values.forget ? { forgotten: 0 } : [], view: [], notes, exitCode: 1 };
    }
    if (values.forget) {
      const forgotten = await forgetLearned(store, values.all ? undefined : [...named]);
      // Running boards drop it too.
      await board.store.signal(LEARNED_SPACE);
      return { data: { forgotten }, view: `Deleted ${forgotten} ${forgotten === 1 ? 'query' : 'queries'}.` };
    }
    return {
      data: redactor.data(wanted),
      view: wanted.map(({ tool, count, query }) => [tool, `${count}×`, toCell(redactor.text(query))]),
      notes: wanted.length === 0 ? explainEmpty(board) : [],
    };
  },
});

/** Lists the names under which queries of a tool may be stored: the given one and its own. */
function allNamesOf(name: string, { registry }: Pick<Board, 'registry'>): string[] {
  const tool = registry.get(name);
  return tool === undefined ? [name] : [name, ...permittingNames(tool)];
}

function explainEmpty(board: Pick<Board, 'feature'>): string {
  return board.feature(discovery)?.settings.learn === true
    ? 'Nothing was learned yet: no agent has called a tool that it found with a search.'
    : 'Nothing was learned yet. Set discovery.learn: true.';
}
