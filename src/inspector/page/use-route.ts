import { useSyncExternalStore } from 'react';

/** What the address asks for: a view, and a tool in it. */
export interface Route {
  readonly view: 'tools' | 'calls' | 'approvals';
  readonly tool: string | undefined;
}

/** The route of the address, as it changes. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(listen, () => location.hash);
  const [, view, tool] = hash.split('/');
  if (view === 'calls' || view === 'approvals') return { view, tool: undefined };
  return { view: 'tools', tool: tool === undefined || tool === '' ? undefined : decode(tool) };
}

/** The address of a tool. */
export function toolLink(name: string): string {
  return `#/tools/${encodeURIComponent(name)}`;
}

/** A person may have typed it: what is no address is a name that is not there. */
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
