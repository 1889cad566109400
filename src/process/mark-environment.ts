import { MARKER_VARIABLE } from './kill-tree.ts';

/** Adds the marker. A board that runs inside a call keeps the outer id, so that the outer board finds its children. */
export function markEnvironment(env: Readonly<Record<string, string>>, id: string): Record<string, string> {
  const outer = process.env[MARKER_VARIABLE];
  return { ...env, [MARKER_VARIABLE]: outer === undefined ? id : `${outer}/${id}` };
}
