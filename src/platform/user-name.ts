import { userInfo } from 'node:os';

/** The user of this process; a user of a container may have a number and no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}
