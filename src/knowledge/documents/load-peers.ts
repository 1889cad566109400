import { loadPeer } from '../../platform/peers/load-peer.ts';

/** Libraries that read a format, or a sentence with the install command. */
export type LoadedPeers =
  | { readonly ok: true; readonly peers: readonly unknown[] }
  | { readonly ok: false; readonly reason: string };

const LACKS = ' needs more libraries: npm install ';

/** Returns the libraries that a reason of `loadPeers` asks for. */
export function missingPeers(reason: string): readonly string[] {
  const [, names = ''] = reason.split(LACKS);
  return names.split(' ').filter((name) => name !== '');
}

/** Loads all libraries a format needs. The reason names every one of them, for one install command. */
export function loadPeers(names: readonly string[], format: string): LoadedPeers {
  try {
    return { ok: true, peers: names.map((name) => loadPeer(name, format)) };
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes('Install it:')) throw cause;
    return { ok: false, reason: `${format}${LACKS}${names.join(' ')}` };
  }
}
