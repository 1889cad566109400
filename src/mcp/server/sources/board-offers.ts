import { text as readText } from 'node:stream/consumers';
import type { BoardParts } from '../../../discovery/board-like.ts';
import { generatePrompt } from '../../../export/prompt.ts';
import type { Redactor } from '../../../guard/secrets/redactor.ts';
import type { PromptSource, ResourceContent, ResourceSource } from './sources.ts';
import type { OutputAccess } from '../../../platform/outputs/output-store.ts';
import { toOutputOwner } from '../../../tool/calls/call-owner.ts';
import { wordsForModel } from '../../../tool/server-words.ts';
import { counted } from '../../../tool/texts/counted.ts';
import type { Tool } from '../../../tool/tool.ts';

const NAME = 'board_tools';

/** Creates the board's own prompt: its tools as text, for models without tools. */
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

const TOOL = 'pegboard://tools/';
const OUTPUT = 'pegboard://outputs/';
const MAX_OUTPUT = 4 * 1024 * 1024;

/** Creates the board's own resources: descriptions of tools, and outputs that were too large to return. */
export function createBoardResources(board: BoardParts, describeTools: boolean): ResourceSource {
  const { registry } = board;
  const described = (): readonly Tool[] => (describeTools ? registry.getAll() : []);
  return {
    list: (access) =>
      described()
        .filter((tool) => access.allows(tool))
        .map((tool) => {
          const { name, displayName, description } = wordsForModel(tool).metadata;
          const title = displayName === undefined ? {} : { title: displayName };
          return { uri: toolUri(name), name, ...title, description, mimeType: 'application/json' };
        }),
    templates: () => [
      ...(describeTools
        ? [
            {
              uriTemplate: `${TOOL}{name}`,
              name: 'tool',
              title: 'A tool of this board',
              description: 'Everything that is known about a tool: schema, examples, limits, where it came from.',
              mimeType: 'application/json',
            },
          ]
        : []),
      ...(board.outputs === undefined
        ? []
        : [
            {
              uriTemplate: `${OUTPUT}{id}`,
              name: 'output',
              title: 'A whole output',
              description: 'An output that was too large to return, by the id that stands where it was cut.',
              mimeType: 'text/plain',
            },
          ]),
    ],
    read(uri, { caller, access }) {
      if (uri.startsWith(TOOL)) {
        const tool = describeTools ? registry.get(decode(uri.slice(TOOL.length))) : undefined;
        return tool === undefined || !access.allows(tool)
          ? undefined
          : [{ uri, mimeType: 'application/json', text: describe(tool, registry.executor.redactor) }];
      }
      if (!uri.startsWith(OUTPUT)) return undefined;
      const { outputs } = board;
      return readOutput(caller === '' ? outputs : outputs?.of(toOutputOwner(caller, access.key)), uri);
    },
    complete(template, { name, value }, access) {
      if (template !== `${TOOL}{name}` || !describeTools) return undefined;
      if (name !== 'name') return [];
      const names = registry.getAll().flatMap((tool) => (access.allows(tool) ? [tool.metadata.name] : []));
      return suggestNames(names, value);
    },
  };
}

export function toolUri(name: string): string {
  return TOOL + encodeURIComponent(name);
}

function describe(tool: Tool, redactor: Redactor): string {
  const { metadata, inputSchema, outputSchema } = wordsForModel(tool);
  const known = { ...metadata, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
  return JSON.stringify(redactor.data(known), undefined, 2);
}

async function readOutput(
  outputs: OutputAccess | undefined,
  uri: string,
): Promise<readonly ResourceContent[] | undefined> {
  const id = decode(uri.slice(OUTPUT.length));
  await outputs?.bring(id);
  const output = outputs?.open(id);
  if (output === undefined) return undefined;
  if (output.size > MAX_OUTPUT) {
    const page = await outputs?.read(output.id, { lines: 2000 });
    const note = `[${counted(output.size, 'byte')}, ${counted(output.lines, 'line')}: too large for one answer. Page through it with output_read, id ${output.id}.]`;
    return [{ uri, mimeType: 'text/plain', text: [...(page?.lines ?? []), note].join('\n') }];
  }
  return [{ uri, mimeType: 'text/plain', text: await readText(output.stream()) }];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns names that start with the text, then those that contain it. */
function suggestNames(names: readonly string[], written: string): string[] {
  const wanted = written.toLowerCase();
  const starting = names.filter((name) => name.toLowerCase().startsWith(wanted));
  const holding = names.filter((name) => name.toLowerCase().includes(wanted) && !starting.includes(name));
  return [...starting, ...holding];
}
