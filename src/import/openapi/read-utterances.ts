import { isPlainObject } from '../../tool/json.ts';
import { toWords } from './name-operations.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

const MOST = 8;
const LONGEST = 120;
/** Names of examples that say nothing about the request. */
const PLAIN = /^(?:default|example|sample|request|response|success|ok|body|value|test)?[\s_-]*\d*$/i;

/** The sources of an operation's texts. */
interface SaidOperation {
  readonly id: string;
  readonly operation: DocumentNode;
  readonly pathItem: DocumentNode;
  /** Texts that the tool already has. */
  readonly description: string;
}

/**
 * Finds further texts about an operation, for searches: the words of its id if the tool has another name, and names and summaries
 * of examples of parameters, bodies and responses.
 */
export function readUtterances(
  { id, operation, pathItem, description }: SaidOperation,
  reader: ReferenceReader,
): string[] {
  const { operationId, responses, requestBody } = operation;
  const lists = [pathItem['parameters'], operation['parameters']];
  const parameters = lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const nodes: unknown[] = [
    ...parameters.map((parameter) => reader.follow(parameter)),
    ...contentsOf(requestBody === undefined ? undefined : reader.follow(requestBody)),
    // References in responses are not needed for a call, so they may be missing.
    ...valuesOf(responses).flatMap(contentsOf),
  ];
  const said = nodes.flatMap((node) => {
    const examples = isPlainObject(node) ? node['examples'] : undefined;
    return isPlainObject(examples) ? Object.entries(examples).map(describe) : [];
  });
  const own = typeof operationId === 'string' ? toWords(operationId) : [];
  const known = new Set(toWords(id));
  const words = own.every((word) => known.has(word)) ? [] : [own.join(' ')];
  const seen = new Set([description.toLowerCase()]);
  const found: string[] = [];
  for (const text of [...words, ...said]) {
    const isNew = text.length > 0 && ![...seen].some((other) => other.includes(text.toLowerCase()));
    if (!isNew || found.length === MOST) continue;
    seen.add(text.toLowerCase());
    found.push(text);
  }
  return found;
}

/** Returns the summary of an example, or its name if that is meaningful. */
function describe([name, item]: readonly [string, unknown]): string {
  const summary = isPlainObject(item) ? item['summary'] : undefined;
  const text = typeof summary === 'string' ? summary : PLAIN.test(name) ? '' : toWords(name).join(' ');
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > LONGEST || PLAIN.test(line) ? '' : line;
}

/** Returns the media types of a body or a response. */
function contentsOf(node: unknown): unknown[] {
  return isPlainObject(node) ? valuesOf(node['content']) : [];
}

function valuesOf(node: unknown): unknown[] {
  return isPlainObject(node) ? Object.values(node) : [];
}
