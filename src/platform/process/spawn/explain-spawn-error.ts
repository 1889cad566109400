import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { describeValue } from '../../../tool/texts/describe-value.ts';
import type { ProcessFailure, ProcessFailureReason, ProcessRequest } from '../process-request.ts';
import { HELPER_GONE, type SpawnError } from './spawned-child.ts';

/** Explains why a child did not start and how to fix it. The system uses one code for several causes. */
export function explainSpawnError(
  { code, message }: SpawnError,
  { file, cwd }: Pick<ProcessRequest, 'file' | 'cwd'>,
): ProcessFailure {
  const program = describeValue(file, 200);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES': {
      const fault = cwd === undefined ? undefined : findFault(cwd);
      if (fault !== undefined)
        return failure('bad_cwd', `The working directory ${describeValue(cwd, 200)} ${fault}. Give an existing one.`);
      return code === 'EACCES' ? notExecutable(program) : notFound(program, resolve(cwd ?? '.'), file);
    }
    case 'ENOEXEC':
    case 'EISDIR':
      return notExecutable(program);
    case 'E2BIG':
      return failure(
        'too_large',
        'The arguments and the environment are over what the system takes. Pass the data on standard input or in a file.',
      );
    case HELPER_GONE:
      // The child may have started: only the helper's end is known.
      return failure('other', `${message}.`);
    default:
      return failure('other', `The command ${program} could not be started: ${message}.`);
  }
}

/** Returns the reason why a folder cannot be a working directory. */
function findFault(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return 'is not a directory';
  } catch {
    return 'does not exist';
  }
  try {
    accessSync(cwd, constants.X_OK);
  } catch {
    return 'may not be entered';
  }
  return undefined;
}

function notFound(program: string, folder: string, file: string): ProcessFailure {
  if (!file.includes('/'))
    return failure('not_found', `The command ${program} was not found in PATH. Install it, or give its full path.`);
  return existsSync(resolve(folder, file))
    ? failure('not_executable', `The interpreter that ${program} names in its first line was not found. Install it.`)
    : failure(
        'not_found',
        `The command ${program} does not exist${isAbsolute(file) ? '' : ` in ${describeValue(folder, 200)}`}. Install it, or correct its path.`,
      );
}

function notExecutable(program: string): ProcessFailure {
  return failure('not_executable', `The command ${program} may not be executed. Make it executable with chmod +x.`);
}

function failure(reason: ProcessFailureReason, message: string): ProcessFailure {
  return { type: 'failed', reason, message };
}
