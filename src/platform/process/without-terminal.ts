/** A name that no program has: commands that need an editor fail at once with this name in the message. */
export const NO_EDITOR = 'pegboard-has-no-editor';

/**
 * Environment defaults for commands: pagers do not wait for a key, no password is requested, and editors fail at once. git accepts prepared
 * text, as for `rebase --continue`, and refuses without any.
 */
export const WITHOUT_TERMINAL: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  EDITOR: NO_EDITOR,
  VISUAL: NO_EDITOR,
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: NO_EDITOR,
};
