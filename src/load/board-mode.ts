/**
 * The purpose of opening a board. `look` runs nothing that its files name: it resolves no secrets, loads no plugins or scripts, and starts
 * no servers.
 */
export type BoardMode = 'run' | 'look';

/** The end of every message about something that a board opened to look has skipped. */
export const NOT_TRUSTED =
  'this command only reads, and this folder is not trusted. Review its files, then run pegboard trust, or add --trust';
