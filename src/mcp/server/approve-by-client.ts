import { isPlainObject } from '../../core/json.ts';
import type { ToolContext } from '../../core/tool-context.ts';
import { peerOf } from './peer.ts';

/** What a person is asked to agree to. */
interface ApprovalQuestion {
  readonly message: string;
  readonly context: ToolContext;
}

/** Asks the person behind an MCP client whether a call may run; `undefined` where the client cannot ask anybody. */
export async function approveByClient({ message, context }: ApprovalQuestion): Promise<boolean | undefined> {
  const peer = peerOf(context);
  if (peer?.can('elicitation/create') !== true) return undefined;
  const requestedSchema = {
    type: 'object',
    properties: { approve: { type: 'boolean', title: 'Run it', description: 'Whether the call may run, this once' } },
    required: ['approve'],
  };
  const question = { method: 'elicitation/create', params: { message, requestedSchema } } as const;
  const { approval } = await peer.ask({ approval: question }, { once: true });
  const content = approval?.['content'];
  return approval?.['action'] === 'accept' && isPlainObject(content) && content['approve'] === true;
}
