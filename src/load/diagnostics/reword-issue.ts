import { isPlainObject } from '../../tool/json.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';

/** Matches the hint about an unknown key: the known keys, or the nearest. */
const HINT = /(?<=^is not a known key\.)(?: Known: .*?\.)?(?: Did you mean "\w+"\?)?$/;
const DURATION = String.raw`must match pattern ^\d+(\.\d+)?\s*(ms|s|m|h)$`;
const SIZE = String.raw`must match pattern ^\d+(\.\d+)?\s*(KB|MB|GB)$`;
const NAME = 'must match pattern ^[A-Za-z0-9_.-]{1,128}$';
const FIXED = String.raw`must match pattern ^(?![\s\S]*\{\{)`;
const BASE_URL = String.raw`must match pattern ^https?:\/\/[^{}?#]+$`;
const ADDRESS = String.raw`must match pattern ^https?:\/\/[^{}\s]+$`;
/** Rare methods, and all methods in lower case. */
const MORE_METHODS = /(?<="OPTIONS"), "QUERY", .* and \d+ more(?=; got)/;

/** The end of the message about an unknown type of tool without a similar one. */
export const NEEDS_PLUGIN = 'A kind of your own needs its plugin under plugins.';

/** Rewords a schema's fault for a config file. `data` is the whole file. */
export function rewordIssue(message: string, path: readonly (string | number)[], data: unknown): string {
  const key = path.at(-1);
  let text = message
    .replace('is not a known argument', 'is not a known key')
    .replace(DURATION, 'must be seconds, or a text such as 500ms, 30s, 5m, 1h')
    .replace(SIZE, 'must be bytes, or a text such as 500KB, 100MB, 2GB')
    .replace(NAME, 'must be 1 to 128 letters, digits, "_", "." and "-"')
    .replace(FIXED, 'must not contain a placeholder, since no call may choose credentials')
    .replace(ADDRESS, 'must be an address that begins with https://')
    .replace(BASE_URL, 'must be an address such as https://api.example.com/v2, without placeholders and a query')
    // Both spellings are allowed; naming one is enough.
    .replace(MORE_METHODS, '');
  // By spelling alone, the suggestion would be "cwd".
  if (path[0] === 'mcpServers' && path.length === 3 && key === 'cmd') {
    text = text.replace(HINT, ' Did you mean "command"?');
  }
  if (key === 'tools' && path.length === 1 && text.startsWith('must be array, got an object')) {
    text = `must be a list: write each tool as "- name: ${firstName(data)}" with its keys below`;
  }
  if (path.at(-3) === 'args' && key === 'option') text = text.replace(HINT, ' Did you mean "flag"?');
  if (!/[.?]$/.test(text)) text += '.';
  if (path.length === 1 && key === 'type' && /^must be one of "cli".*; got "[^"]*"\.$/.test(text))
    text += ` ${NEEDS_PLUGIN}`;
  return text.startsWith('is required: one of') ? text + misspelling(String(key), parentOf(path, data)) : text;
}

/** Returns the name of the first tool in a mapping that should be a list. */
function firstName(data: unknown): string {
  const tools = isPlainObject(data) ? data['tools'] : undefined;
  const [[key, value] = ['', undefined]] = Object.entries(isPlainObject(tools) ? tools : {});
  return key === 'name' && typeof value === 'string' ? value : key;
}

/** Suggests a misspelt discriminator: without it, no other key is checked. */
function misspelling(key: string, parent: unknown): string {
  const [nearest] = isPlainObject(parent) ? nearestNames(key, Object.keys(parent), 1) : [];
  return nearest === undefined ? '' : ` Is "${nearest}" a misspelling of "${key}"?`;
}

function parentOf(path: readonly (string | number)[], data: unknown): unknown {
  let value = data;
  for (const key of path.slice(0, -1)) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? Reflect.get(Object(value), key) : undefined;
  }
  return value;
}
