/** Text as PostgreSQL can keep it: it knows no NUL, and halves of characters have no UTF-8 form. */
export function toPlainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}
