import { createHash } from 'node:crypto';

/**
 * A part of the board's files that Pegboard writes with the consent of a person: a lock, a line under `policy.approved`, or a whole file that
 * a command such as `pegboard mcp add` has edited.
 */
export type ConsentType = 'lock' | 'approved' | 'file';

/** Returns the name under which the consent to a text of a lock or file, or to a line of the policy, is stored. */
export function consentName(type: ConsentType, written: unknown): string {
  const text = typeof written === 'string' ? written : (JSON.stringify(written) ?? '');
  const hash = createHash('sha256').update(text).digest('hex');
  return type === 'lock' ? lockName(hash) : `${type} ${hash}`;
}

/** Returns the name of the consent to a file with this hash. */
export function fileName(hash: string): string {
  return `file ${hash}`;
}

/** Returns true for the name of a consent to a file. */
export function isFileName(name: string): boolean {
  return name.startsWith(fileName(''));
}

/** Returns the name of the consent to a lock with this hash. */
export function lockName(hash: string): string {
  return `lock ${hash}`;
}
