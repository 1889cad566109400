/** Where tools, the document about them, questions that wait and long outputs are for programs that know no MCP. */
export const PLAIN_PATHS = {
  tools: '/tools/',
  document: '/openapi.json',
  approvals: '/approvals/',
  outputs: '/outputs/',
} as const;

/** Whether a path is one of those for programs that know no MCP. */
export function isPlainPath(pathname: string): boolean {
  const { tools, document, approvals, outputs } = PLAIN_PATHS;
  return pathname === document || [tools, approvals, outputs].some((start) => pathname.startsWith(start));
}
