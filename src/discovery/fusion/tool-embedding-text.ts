import { type IndexedTool, readInputSchema } from '../indexed-tool.ts';
import { readParameters } from '../read-parameters.ts';

const LONGEST = 2_000;

/** What of a tool is embedded: its name as words, what it does, the names of its parameters, what people say for it. */
export function toolEmbeddingText({ name, tool }: IndexedTool): string {
  const { description, utterances = [] } = tool.metadata;
  const parameters = readParameters(readInputSchema(tool)).names.map(toWords).join(', ');
  return [`${toWords(name)}: ${description}`, parameters, ...utterances].join(' ').slice(0, LONGEST).trim();
}

/** `getUserName` and `get_user_name` → `get user name`. */
function toWords(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll(/[_.-]+/g, ' ')
    .toLowerCase();
}
