import { isPlainObject } from '../../../tool/json.ts';
import { ERROR_CODES, RequestError } from '../../protocol/json-rpc.ts';
import { TASKS_EXTENSION } from '../../protocol/versions.ts';
import type { RequestScope } from '../request-scope.ts';

/** Returns true when a client declares the tasks extension. */
export function declaresTasks({ capabilities }: RequestScope): boolean {
  const { extensions } = capabilities;
  return isPlainObject(extensions) && isPlainObject(extensions[TASKS_EXTENSION]);
}

/** The error for a client that would need the extension. */
export function missingTasks(why: string): RequestError {
  return new RequestError(
    ERROR_CODES.missingClientCapability,
    `${why} The client has to declare the extension ${TASKS_EXTENSION}.`,
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  );
}
