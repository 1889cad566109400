import { compile, isRegistered, type JSONValue, search } from '@jmespath-community/jmespath';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** The most characters of an expression: a longer one could overflow the parser. */
const MAX_EXPRESSION = 4000;

/** Functions that a response could make use minutes or all memory. */
const UNBOUNDED = /^(?:trim|trim_left|trim_right|pad_left|pad_right|replace)$/;

/** Returns the fault of a JMESPath expression; `undefined` if it is valid. */
export function findSelectFault(expression: string): string | undefined {
  const advice = 'Write JMESPath, such as items[].{id: id, title: title}.';
  if (expression.length > MAX_EXPRESSION) return `is longer than ${MAX_EXPRESSION} characters. ${advice}`;
  try {
    const functions = findFunctions(compile(expression));
    const slow = functions.find((name) => UNBOUNDED.test(name));
    if (slow !== undefined) return `calls ${slow}(), which some responses could keep busy forever. Remove it.`;
    const unknown = functions.find((name) => !isRegistered(name));
    return unknown === undefined ? undefined : `calls ${unknown}(), which does not exist. ${advice}`;
  } catch (thrown) {
    return `cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}. ${advice}`;
  }
}

/** Evaluates a JMESPath expression. Throws a `ToolError` if the value does not fit it. */
export function select(value: unknown, expression: string): unknown {
  try {
    // It came as JSON. The result becomes JSON again: names such as constructor find inherited members.
    const found = search(value as JSONValue, expression);
    return JSON.parse(JSON.stringify(found) ?? 'null');
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `The answer is not what select expects: ${why} The operator of the tool must change select.`;
    throw new ToolError({ code: 'execution_failed', message, cause: thrown });
  }
}

/** Returns the functions that an expression calls; the parser does not check that they exist. */
function findFunctions(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(findFunctions);
  if (!isPlainObject(node)) return [];
  const own = node['type'] === 'Function' && typeof node['name'] === 'string' ? [node['name']] : [];
  return [...own, ...Object.values(node).flatMap(findFunctions)];
}
