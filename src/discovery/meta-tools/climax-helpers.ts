/** Tools that a board with commands adds by itself. CLImax has none, so its searches do not show them; calls reach them. */
const HELPERS: ReadonlySet<string> = new Set(['output_read', 'output_search']);

/** Tells the tools that a board adds by itself. */
export function isHelper(name: string): boolean {
  return HELPERS.has(name);
}
