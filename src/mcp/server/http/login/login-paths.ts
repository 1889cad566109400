/** Where users log in at other servers. */
export const LOGIN_PATH = '/login';

/** Whether a path is one of the pages on which users log in at other servers. */
export function isLoginPath(pathname: string): boolean {
  return pathname.startsWith(`${LOGIN_PATH}/`);
}
