/** As in other placeholders, blanks mean nothing. */
const USER = /\{\{ *user *\}\}/g;

/** Returns true when a text of a server's entry names the user. */
export function hasUser(text: string): boolean {
  return text.search(USER) !== -1;
}

/** The text with a name in the place of `{{user}}`. */
export function fillUser(text: string, name: string): string {
  return text.replaceAll(USER, name);
}
