import { redactData } from '../../execute/redact.ts';
import { printJson, printLine } from '../cli-context.ts';
import { defineCommand, FILE_OPTION } from '../command.ts';
import { printTools, toSummary } from '../list-tools.ts';
import { secretsOf, useBoard } from '../use-board.ts';

/** `pegboard search`: tools by what they do. */
export const search = defineCommand({
  name: 'search',
  description: 'Finds tools by name, description, category and tags.',
  arguments: [{ name: 'QUERY', description: 'What to look for', required: true, multiple: true }],
  options: FILE_OPTION,
  examples: [['pegboard search commit', 'every tool that has to do with commits']],
  run: ({ values, positionals, json, context }) =>
    useBoard(values.file, { context }, (board) => {
      const query = positionals.join(' ');
      const found = board.search(query).map(({ metadata }) => metadata);
      if (json) printJson(context, redactData(found.map(toSummary), secretsOf(board)));
      else if (found.length > 0) printTools(found, secretsOf(board), context);
      else printLine(context.stderr, `None of ${board.registry.size} tools has to do with "${query}".`);
      return found.length > 0 ? 0 : 1;
    }),
});
