import { ToolError } from '../../../tool/tool-error.ts';

/** Says why a server cannot listen, and what to do about it. */
export function explainListening(cause: NodeJS.ErrnoException, host: string, port: number): ToolError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something else listens there. Choose another --port, or 0 for any that is free',
    EACCES: 'this user may not. Choose a --port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address. Choose another --host',
  };
  const why = reasons[cause.code ?? ''] ?? cause.message;
  return new ToolError({ code: 'execution_failed', message: `Cannot listen on ${host}:${port}: ${why}.`, cause });
}
