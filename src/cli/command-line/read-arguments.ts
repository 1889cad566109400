import { text as readText } from 'node:stream/consumers';
import { isPlainObject } from '../../tool/json.ts';
import type { Tool } from '../../tool/tool.ts';
import { coerceInput } from '../../tool/schema/coerce-input.ts';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from './usage-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The arguments of a call as the command line gives them. */
export interface GivenArguments {
  /** `name=value`, each; or one JSON object. */
  readonly words?: readonly string[];
  /** `name=value`, each. */
  readonly arg: readonly string[];
  /** JSON, or `-` for JSON on standard input. */
  readonly args: string | undefined;
}

/** The arguments of a call: JSON as it is, `name=value` in the type the tool's schema asks for. */
export async function readArguments(
  tool: Pick<Tool, 'inputSchema'>,
  given: GivenArguments,
  { stdin }: Pick<CliContext, 'stdin'>,
): Promise<Record<string, unknown>> {
  const { words = [] } = given;
  const whole = words.find((word) => /^\s*\{/.test(word));
  if (whole !== undefined && given.args !== undefined) {
    throw new UsageError('The arguments are given as a JSON object twice. Give it once.', 'call');
  }
  const json = given.args === '-' ? await readText(stdin) : (given.args ?? whole);
  const parsed = json === undefined ? {} : parseJson(json);
  // A program says what it means; a person who types leaves out the brackets around one value.
  const base = given.args === '-' ? parsed : withLists(tool.inputSchema, parsed);
  const pairs = collectPairs([...words.filter((word) => word !== whole), ...given.arg]);
  const typed = coerceInput(tool.inputSchema, joinPairs(tool.inputSchema, pairs));
  return { ...base, ...(isPlainObject(typed) ? typed : {}) };
}

/** One value where the tool takes a list is a list of one. */
function withLists(schema: Tool['inputSchema'], given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOne = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return mapByType(schema, given, (value, type) => (type === 'array' && isOne(value) ? [value] : value));
}

/** Changes values by the types that the tool takes them as. */
function mapByType(
  { properties }: Tool['inputSchema'],
  given: Readonly<Record<string, unknown>>,
  change: (value: unknown, type: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema: unknown = isPlainObject(properties) && Object.hasOwn(properties, name) ? properties[name] : {};
      return [name, change(value, isPlainObject(schema) ? schema['type'] : undefined)];
    }),
  );
}

function parseJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`The arguments must be JSON, such as '{"path": "."}': ${reason}.`, 'call');
  }
  if (isPlainObject(value)) return value;
  throw new UsageError(`The arguments must be a JSON object, such as '{"path": "."}'.`, 'call');
}

/** A name that is given several times is a list. */
function collectPairs(pairs: readonly string[]): Record<string, unknown> {
  const groups = Map.groupBy(pairs.map(splitPair), ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, members]) => [
      name,
      members.length === 1 ? members[0]?.[1] : members.map(([, value]) => value),
    ]),
  );
}

/** Where the tool takes an object, `env=A=1 env=B=2` gives one with two keys; where it takes a list, one value is a list of one. */
export function joinPairs(
  schema: Tool['inputSchema'],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return mapByType(schema, given, (value, type) => {
    // JSON says itself what it is.
    if (type === 'array' && typeof value === 'string' && !/^\s*\[/.test(value)) return [value];
    const texts: unknown[] = [value].flat();
    const isPairs = texts.every((text) => typeof text === 'string' && /^[^\s{[="]+=/.test(text));
    if (!isPairs || type !== 'object') return value;
    return Object.fromEntries(texts.map((text) => splitPair(String(text))));
  });
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new UsageError(`An argument is NAME=VALUE; got "${pair}".`, 'call');
}
