import { isThenable } from '../tool/is-thenable.ts';
import { isPlainObject } from '../tool/json.ts';
import { describeValue } from '../tool/texts/describe-value.ts';
import { ToolError } from '../tool/tool-error.ts';

interface ListRule {
  readonly item: string;
  readonly isItem: (value: unknown) => boolean;
}

const isFault = (value: unknown): boolean =>
  isPlainObject(value) && Array.isArray(value['path']) && typeof value['message'] === 'string';
const isText = (value: unknown): boolean => typeof value === 'string';

/** The methods of a kind that return lists, with the form of an item. Plugins may be untyped. */
const LISTS: Readonly<Record<string, ListRule>> = {
  explain: { item: '{ path, message }', isItem: isFault },
  check: { item: '{ path, message }', isItem: isFault },
  names: { item: 'names', isItem: isText },
  uses: {
    item: '{ type, name, path }',
    isItem: (value) => isPlainObject(value) && isText(value['name']) && Array.isArray(value['path']),
  },
  secrets: {
    item: '{ name, value }',
    isItem: (value) => isPlainObject(value) && isText(value['name']) && isText(value['value']),
  },
  dryRun: { item: '{ type, … }', isItem: (value) => isPlainObject(value) && isText(value['type']) },
  describe: {
    item: '[label, text]',
    isItem: (value) => Array.isArray(value) && value.length === 2 && value.every(isText),
  },
};

/** Wraps the methods of a kind so that they throw, with the names of kind and method, if they return a wrong value. */
export function checkReturns<Methods extends object>(type: string, methods: Methods): Methods {
  const checked = Object.entries(methods).map(([name, method]: [string, unknown]) => {
    const rule = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
    if (rule === undefined || typeof method !== 'function') return [name, method];
    const check = (given: unknown): unknown => checkList(`${name}() of the kind "${type}"`, rule, given);
    return [
      name,
      (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(method, methods, args);
        return isThenable(given) ? Promise.resolve(given).then(check) : check(given);
      },
    ];
  });
  // The same names, with functions of the same types.
  return Object.fromEntries(checked) as Methods;
}

/** `undefined` counts as an empty list. */
function checkList(method: string, { item, isItem }: ListRule, given: unknown): unknown {
  if (given === undefined || given === null) return undefined;
  const odd = Array.isArray(given) ? given.findIndex((value) => !isItem(value)) : undefined;
  if (odd === -1) return given;
  const got =
    odd === undefined ? describeValue(given) : `${describeValue(Reflect.get(Object(given), odd))} at [${odd}]`;
  const message = `${method} must return a list of ${item}; got ${got}.`;
  throw new ToolError({ code: 'invalid_config', message });
}
