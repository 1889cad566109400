import { useSyncExternalStore } from 'react';

/** The view and tool in the address. */
export interface Route {
  readonly view: 'tools' | 'calls' | 'approvals';
  readonly tool: string | undefined;
}

/** Returns the current route of the address. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(listen, () => location.hash);
  const [, view, tool] = hash.split('/');
  if (view === 'calls' || view === 'approvals') return { view, tool: undefined };
  return { view: 'tools', tool: tool === undefined || tool === '' ? undefined : decode(tool) };
}

/** Returns the address of a tool. */
export function toolLink(name: string): string {
  return `#/tools/${encodeURIComponent(name)}`;
}

/** Decodes a name. A person may have typed it, so an invalid one is returned as it is. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function listen(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}
