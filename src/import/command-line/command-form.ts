/** A command as config files write it: one text, or a list where a word has characters that a text would split or read otherwise. */
export function toCommandForm(command: readonly string[]): string | readonly string[] {
  return command.some((word) => /[^\w./:@=+-]/.test(word)) ? command : command.join(' ');
}
