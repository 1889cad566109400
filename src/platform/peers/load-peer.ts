import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Loads an optional library when it is first needed, without waiting.
 *
 * The module is found as `import` would find it and handed to `require`, so that the caller gets the very instance
 * the user's own `import` gives (`instanceof` holds). If it is not installed the error names the command,
 * with the packages that are needed `together` with it.
 */
export function loadPeer(specifier: string, neededFor: string, together: readonly string[] = []): unknown {
  const known = loaded.get(specifier);
  if (known !== undefined) return known;
  const library = load(specifier, neededFor, together);
  loaded.set(specifier, library);
  return library;
}

/** Finding a library anew takes far longer than most of what it is needed for. */
const loaded = new Map<string, unknown>();

function load(specifier: string, neededFor: string, together: readonly string[]): unknown {
  let location: string;
  try {
    location = import.meta.resolve(specifier);
  } catch (cause) {
    throw missing(specifier, { neededFor, together, cause });
  }
  try {
    return require(fileURLToPath(location));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND')
      throw missing(specifier, { neededFor, together, cause });
    throw cause;
  }
}

interface Missing {
  readonly neededFor: string;
  readonly together: readonly string[];
  readonly cause: unknown;
}

function missing(specifier: string, { neededFor, together, cause }: Missing): Error {
  const parts = specifier.split('/');
  const packageName = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
  const message = `${neededFor} needs the package "${packageName}". Install it: npm install ${[...together, packageName].join(' ')}`;
  // The code tells it from a fault of ours: people can mend it, and need no stack.
  return Object.assign(new Error(message, { cause }), { code: 'ERR_PEER_MISSING' });
}
