import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findOwnPackage } from '../../../platform/own-package.ts';
import { isPlainObject } from '../../../tool/json.ts';

/** The default address of `pegboard serve --http`. */
const OWN_ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):7331\//;
/** The file of the command, in a package or a checkout. */
const OWN_FILE = /[\\/](?:dist[\\/]cli\.js|src[\\/]cli[\\/]main\.ts)$/;
const OWN_PACKAGE = /^pegboard(?:@[\w.^~-]+)?$/;

/** Returns true for a client's entry that serves a board: `pegboard serve …` in any of its forms, or its address. */
export function isOwnEntry(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { command: written, url, httpUrl, serverUrl } = value;
  // Older versions of Zed nest the command in an object.
  const { command, args } = isPlainObject(written) ? { command: written['path'], args: written['args'] } : value;
  if (typeof command !== 'string')
    return [url, httpUrl, serverUrl].some((address) => typeof address === 'string' && OWN_ADDRESS.test(address));
  const words = [command, ...(Array.isArray(args) ? args.map(String) : [])];
  // A word is not enough: other servers may take "pegboard" as an argument.
  return words.some((word, index) => isOwnProgram(word) && words[index + 1] === 'serve');
}

function isOwnProgram(word: string): boolean {
  if (OWN_PACKAGE.test(word)) return true;
  const name = basename(word.replaceAll('\\', '/')).replace(/\.(?:cmd|exe|ps1)$/i, '');
  if (name === 'pegboard') return true;
  if (!OWN_FILE.test(word)) return false;
  const folder = dirname(word.replace(OWN_FILE, '/x'));
  return basename(folder.replaceAll('\\', '/')) === 'pegboard' || isOwnFolder(folder);
}

function isOwnFolder(folder: string): boolean {
  try {
    return findOwnPackage(realpathSync(folder)).version !== undefined;
  } catch {
    return false;
  }
}
