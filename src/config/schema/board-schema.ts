import { z } from 'zod';
import { cliTool } from '../../kinds/cli/schema.ts';
import { environment } from '../../kinds/common-schema.ts';
import { httpTool } from '../../kinds/http/schema.ts';
import { mcpServer, mcpTool } from '../../kinds/mcp/schema.ts';
import { ragSection, ragTool } from '../../kinds/rag/schema.ts';
import { runTool } from '../../kinds/run/schema.ts';
import { scriptTool } from '../../kinds/script/schema.ts';
import { embedderSection, learnSetting } from './embedder-schema.ts';
import { policySection } from './policy-schema.ts';

/** A whole `pegboard.yaml`. */
export const boardFile = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1).describe('What the board, or this part of it, is called').optional(),
  description: z.string().optional(),
  category: z.string().min(1).describe('The category of tools that have none of their own').optional(),
  tags: z.array(z.string().min(1)).describe('Tags that every tool of this file gets').optional(),
  variables: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .describe('Values for ${NAME}')
    .optional(),
  env: environment.describe('Environment variables of every command in this file').optional(),
  import: z
    .union([z.string(), z.array(z.string())])
    .describe('Other files, globs or folders to load')
    .optional(),
  tools: z.array(z.discriminatedUnion('type', [cliTool, runTool, httpTool, ragTool, mcpTool, scriptTool])).optional(),
  mcpServers: z.record(z.string(), mcpServer).optional(),
  rag: ragSection.optional(),
  policy: policySection.optional(),
  data: z
    .string()
    .min(1)
    .describe('The folder for what the board keeps: knowledge, tasks, sessions (default: .pegboard beside this file)')
    .optional(),
  discovery: z
    .looseObject({ embedder: embedderSection.optional(), learn: learnSetting.optional() })
    .describe('How agents find tools')
    .optional(),
  serve: z.looseObject({ tokenBudget: z.int().min(0).optional() }).optional(),
  agents: z.record(z.string(), z.looseObject({})).describe('Agents that use the tools of this board').optional(),
});
