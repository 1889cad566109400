import { ToolError } from '../tool/tool-error.ts';
import type { PlannedCollection } from './knowledge-plan.ts';

/** Says which collection and server, or whose model, a failure is about; whatever else it is comes back as it is. */
export function nameFailure(error: unknown, plan: PlannedCollection, isOfModel: boolean): unknown {
  if (!(error instanceof ToolError)) return error;
  const { name, storedAs, server } = plan;
  if (error.message.includes(`--collection ${storedAs}`) && storedAs !== name) {
    // A command that is to be run needs the name in the settings, which the store does not know.
    const message = error.message.replace(`--collection ${storedAs}`, `--collection ${name}`);
    return new ToolError({ code: error.code, message, field: error.field, reason: error.reason, cause: error });
  }
  if (error.code !== 'upstream_unavailable') return error;
  const what = isOfModel
    ? 'gets no vectors from its model'
    : `cannot be reached (server "${server.name}", ${server.driver})`;
  const message = `The collection "${name}" ${what}: ${error.message}`;
  return new ToolError({ code: error.code, message, recoverable: error.recoverable, cause: error });
}
