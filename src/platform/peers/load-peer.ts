import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Loads an optional library synchronously when it is first needed.
 *
 * Resolves the module like `import` and loads it with `require`, so that the caller gets the same instance as the user's own `import`
 * (`instanceof` works). If it is not installed, the error contains the install command, including the packages needed `together` with it.
 */
export function loadPeer(specifier: string, neededFor: string, together: readonly string[] = []): unknown {
  const known = loaded.get(specifier);
  if (known !== undefined) return known;
  const library = load(specifier, neededFor, together);
  loaded.set(specifier, library);
  return library;
}

/** Resolving a library again takes far longer than most uses of it. */
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
  // The code marks an error that users can fix and that needs no stack trace.
  return Object.assign(new Error(message, { cause }), { code: 'ERR_PEER_MISSING' });
}
