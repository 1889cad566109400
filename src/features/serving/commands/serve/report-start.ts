import { closeSync, writeSync } from 'node:fs';
import { READY_STREAM, READY_VARIABLE } from '../../../../mcp/front/start-board.ts';
import type { StartResult } from '../../../../mcp/front/reach-board.ts';

/** Reports to the front that started this process. For a person who started it, does nothing. */
export function reportStart(result: StartResult): void {
  if (process.env[READY_VARIABLE] === undefined) return;
  delete process.env[READY_VARIABLE];
  try {
    writeSync(READY_STREAM, JSON.stringify(result));
    closeSync(READY_STREAM);
  } catch {
    // The front has ended meanwhile.
  }
}
