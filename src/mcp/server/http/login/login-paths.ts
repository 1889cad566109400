/** The path of the pages on which users log in at other servers. */
export const LOGIN_PATH = '/login';

/** Returns true for a path of the pages on which users log in at other servers. */
export function isLoginPath(pathname: string): boolean {
  return pathname.startsWith(`${LOGIN_PATH}/`);
}
