import { type PromptOptions, generatePrompt } from '../../export/prompt.ts';
import { defineCommand, FILES_ARGUMENT, flag, listOption, valueOption, WAIT_OPTION } from '../shared/command.ts';
import { parseCount } from '../shared/parse-values.ts';
import { readingBoard, redactorOf } from '../shared/board/use-board.ts';

export const prompt = defineCommand({
  name: 'prompt',
  description: 'Prints the tools as text for a system prompt: names, descriptions and parameters.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...WAIT_OPTION,
    examples: flag('Include usage examples'),
    'max-examples': valueOption('N', 'Include at most N examples for each tool'),
    notes: flag('Include usage notes'),
    limitations: flag('Include known limitations'),
    group: flag('Group the tools by category'),
    category: listOption('NAME', 'Only tools of this category'),
  },
  examples: [['pegboard prompt --group --examples > tools.txt', 'everything a model needs to know, by category']],
  parse({ values }) {
    const most = parseCount(values['max-examples'], { option: '--max-examples', command: 'prompt' });
    const options: PromptOptions = {
      includeExamples: values.examples,
      includeNotes: values.notes,
      includeLimitations: values.limitations,
      groupByCategory: values.group,
      categories: values.category,
      ...(most === undefined ? {} : { maxExamplesPerTool: most, includeExamples: true }),
    };
    return options;
  },
  board: readingBoard,
  run({ parsed: options, board }) {
    const text = redactorOf(board).text(generatePrompt(board.registry, options));
    return { data: { prompt: text, tools: board.registry.size }, view: text };
  },
});
