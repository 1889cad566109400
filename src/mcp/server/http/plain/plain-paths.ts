/** The paths of tools, their document, waiting questions and long outputs, for programs without MCP. */
export const PLAIN_PATHS = {
  tools: '/tools/',
  document: '/openapi.json',
  approvals: '/approvals/',
  outputs: '/outputs/',
} as const;

/** Returns true for one of the paths for programs without MCP. */
export function isPlainPath(pathname: string): boolean {
  const { tools, document, approvals, outputs } = PLAIN_PATHS;
  return pathname === document || [tools, approvals, outputs].some((start) => pathname.startsWith(start));
}
