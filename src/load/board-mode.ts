/**
 * The purpose that a board is opened for. `look` runs nothing that its files name: no secret is resolved, no plugin and no script is
 * loaded, no server is started.
 */
export type BoardMode = 'run' | 'look';

/** The end of every message about something that a board opened to look has left out. */
export const NOT_TRUSTED =
  'this command only looks, and nobody has trusted this folder. Look at its files, then run pegboard trust, or add --trust';
