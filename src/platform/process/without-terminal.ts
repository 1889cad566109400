/** Where commands look for an editor: no program has this name, so they fail at once and say it. */
export const NO_EDITOR = 'pegboard-has-no-editor';

/**
 * What each command finds in its environment unless the board sets it: no pager waits for a key, no password is asked for, and an editor
 * fails at once. git takes the text that it has prepared, as for `rebase --continue`, and refuses where there is none.
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
