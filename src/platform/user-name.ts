import { userInfo } from 'node:os';

/** Returns the user of this process. A user in a container may have only a number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'user');
  }
}
