import { loadPeer } from '../../platform/peers/load-peer.ts';

/** The reason to skip a document. Its message follows the file name: `is a document without words`. */
export class DocumentRefusal extends Error {}

/**
 * The longest text of a document: as much as the largest text file contains, with table borders. A small archive can hold
 * far more.
 */
const MAX_TEXT = 50_000_000;

/** Throws if a document's text exceeds the limit, before it takes all memory. */
export function checkLength(length: number): void {
  if (length > MAX_TEXT)
    throw new DocumentRefusal(`has more than ${MAX_TEXT / 1_000_000} million characters of text; split it`);
}

const LACKS = ' needs more libraries: npm install ';

/** Returns the libraries that a reason of `loadPeers` asks for. */
export function missingPeers(reason: string): readonly string[] {
  const [, names = ''] = reason.split(LACKS);
  return names.split(' ').filter((name) => name !== '');
}

/** Loads all libraries a format needs. The refusal names every one of them, for one install command. */
export function loadPeers(names: readonly string[], format: string): unknown[] {
  try {
    return names.map((name) => loadPeer(name, format));
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes('Install it:')) throw cause;
    throw new DocumentRefusal(`${format}${LACKS}${names.join(' ')}`);
  }
}
