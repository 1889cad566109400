import { generatePrompt } from '../../../export/prompt.ts';
import type { BoardParts } from '../../../discovery/board-like.ts';
import type { PromptSource } from './sources.ts';

const NAME = 'board_tools';

/** The board's own prompt: its tools as text, for models that cannot be given tools. */
export function createBoardPrompts({ registry }: BoardParts): PromptSource {
  return {
    list: () => [
      {
        name: NAME,
        title: 'The tools of this board',
        description: 'The tools as text for a system prompt: names, descriptions and parameters.',
        arguments: [{ name: 'category', description: 'Only tools of this category' }],
      },
    ],
    get(name, args, { access }) {
      if (name !== NAME) return undefined;
      const { category } = args;
      const tools = registry.getAll().filter((tool) => access.allows(tool));
      const text = generatePrompt(tools, category === undefined ? {} : { categories: [category] });
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
    complete(name, argument, access) {
      if (name !== NAME) return undefined;
      if (argument.name !== 'category') return [];
      const tools = registry.getAll().filter((tool) => access.allows(tool));
      const categories = tools.flatMap(({ metadata }) => metadata.category ?? []);
      return [...new Set<string>(categories)].filter((category) => category.startsWith(argument.value)).toSorted();
    },
  };
}
