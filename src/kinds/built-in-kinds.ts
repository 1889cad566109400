import { cli } from './cli/kind.ts';
import { http } from './http/kind.ts';
import type { Kind } from './kind.ts';
import { mcp } from './mcp/kind.ts';
import { program } from './program/kind.ts';
import { rag } from './rag/kind.ts';
import { run } from './run/kind.ts';
import { script } from './script/kind.ts';

/** The kinds that every board has. */
export const BUILT_IN_KINDS: readonly Kind[] = [cli, run, http, rag, mcp, script, program];
