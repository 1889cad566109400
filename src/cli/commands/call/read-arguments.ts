import { text as readText } from 'node:stream/consumers';
import { isPlainObject } from '../../../tool/json.ts';
import type { Tool } from '../../../tool/tool.ts';
import { coerceInput } from '../../../tool/schema/coerce-input.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { fstatSync } from 'node:fs';

/** The arguments of a call as given on the command line. */
interface GivenArguments {
  /** `name=value` each, or one JSON object. */
  readonly words?: readonly string[];
  /** `name=value` each. */
  readonly arg: readonly string[];
  /** JSON, or `-` for JSON on standard input. */
  readonly args: string | undefined;
}

/** Reads the arguments of a call: JSON as it is, `name=value` converted to the types of the tool's schema. */
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
  // JSON from a program is exact; a person may leave out the brackets around a single value.
  const base = given.args === '-' ? parsed : withLists(tool.inputSchema, parsed);
  const pairs = collectPairs([...words.filter((word) => word !== whole), ...given.arg]);
  const typed = coerceInput(tool.inputSchema, joinPairs(tool.inputSchema, pairs));
  return { ...base, ...(isPlainObject(typed) ? typed : {}) };
}

/** Wraps single values in lists where the tool takes a list. */
function withLists(schema: Tool['inputSchema'], given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOne = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return mapByType(schema, given, (value, type) => (type === 'array' && isOne(value) ? [value] : value));
}

/** Changes values according to the types in the schema. */
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

/** Collects the pairs in an object; a repeated name becomes a list. */
function collectPairs(pairs: readonly string[]): Record<string, unknown> {
  const groups = Map.groupBy(pairs.map(splitPair), ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, members]) => [
      name,
      members.length === 1 ? members[0]?.[1] : members.map(([, value]) => value),
    ]),
  );
}

/** Turns `env=A=1 env=B=2` into an object with two keys where the tool takes an object, and one value into a list where it takes a list. */
export function joinPairs(
  schema: Tool['inputSchema'],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return mapByType(schema, given, (value, type) => {
    // Values in JSON already have their type.
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

/** A pipe or file on standard input. */
interface PipedInput {
  read(): Promise<string>;
  /** Starts listening for input without waiting for it. Returns a function that stops and returns true if there was any. */
  watch(): () => boolean | Promise<boolean>;
}

/** Returns the pipe or file that the shell connected; `undefined` for a terminal, /dev/null or the channel of a parent program. */
export function pipedInput({ stdin }: Pick<CliContext, 'stdin'>): PipedInput | undefined {
  const fd: unknown = 'fd' in stdin ? stdin.fd : undefined;
  const isPiped = stdin.isPiped ?? (typeof fd === 'number' && isPipeOrFile(fd));
  if (!isPiped) return undefined;
  return {
    read: () => readText(stdin),
    watch: () => {
      if (stdin.peek !== undefined) return stdin.peek;
      let isSeen = false;
      const see = (chunk: { readonly length: number }): void => {
        isSeen ||= chunk.length > 0;
      };
      stdin.on('data', see);
      return () => {
        stdin.off('data', see);
        // Nothing else reads it, and an open pipe would keep the process alive.
        stdin.destroy();
        return isSeen;
      };
    },
  };
}

function isPipeOrFile(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isFile();
  } catch {
    // Closed by the parent program.
    return false;
  }
}
