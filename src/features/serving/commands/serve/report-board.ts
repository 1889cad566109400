import type { Board } from '../../../../board/board.ts';
import { explainChange } from '../../../../board/changes/board-changes.ts';
import { formatDiagnostic } from '../../../../load/diagnostics/diagnostic.ts';
import { counted } from '../../../../tool/texts/counted.ts';
import { countTools } from '../../../../cli/shared/board/list-board.ts';
import { tellWaiting } from '../../../../cli/shared/board/tell-waiting.ts';
import type { ServeSection } from './serve-settings.ts';
import type { ServeOptions, Serving } from './serving.ts';

/** Logs the problems of a board, and what happens to its servers, approvals and files. */
export function reportBoard(board: Board, log: (text: string) => void): void {
  const told = new Set<string>();
  const tell = (diagnostics: Board['diagnostics']): void => {
    for (const diagnostic of diagnostics.filter(({ severity }) => severity !== 'note')) {
      const line = `${diagnostic.severity} ${formatDiagnostic(diagnostic)}`;
      if (!told.has(line)) log(line);
      told.add(line);
    }
  };
  tell(board.diagnostics);
  const coming = board.servers.filter(({ offered, failure }) => offered === undefined && failure === undefined);
  if (coming.length > 0)
    log(`asking ${coming.map(({ name }) => name).join(', ')} for tools; they are added when the server answers`);
  board.on('server-changed', ({ server, diagnostics }) => {
    const offered = board.servers.find(({ name }) => name === server)?.offered ?? 0;
    log(`the MCP server "${server}" now offers ${counted(offered, 'tool')}`);
    tell(diagnostics);
  });
  board.on('server-failed', ({ failure }) => {
    const again = new Date(failure.retryAt).toLocaleTimeString('en-GB');
    log(`warning: ${failure.message}\nThe next attempt is at ${again}, or when one of its tools is called.`);
  });
  tellWaiting(board, log);
  board.on('notify-failed', ({ id, message }) => log(`warning: nobody was notified of the approval ${id}. ${message}`));
  board.on('reloaded', () => log(`reloaded: ${countTools(board.registry)}`));
  board.on('reload-waiting', ({ change }) => log(`not reloaded: the config ${explainChange(change)}`));
  board.on('reload-failed', ({ error }) => log(`not reloaded, the board is unchanged: ${error.message}`));
}

/** Warns about settings that need a restart, and about approvers that are not available. */
export function warnAboutFixed(
  { section, onReload, log }: Serving,
  isHttp: boolean,
  { http, inspect }: ServeOptions,
): void {
  const check = ({ approvals = [] }: ServeSection): void => {
    if (approvals.includes('inspector') && !inspect)
      log('warning: serve.approvals names the inspector, which is not open. Start with --inspect.');
    if (approvals.includes('terminal') && !isHttp)
      log('warning: serve.approvals names the terminal, which over stdio belongs to the client. Start with --http.');
  };
  check(section());
  onReload((next) => {
    check(next);
    const isWanted = http || next.http === true;
    if (isWanted !== isHttp) log(`warning: serve.http is now ${isWanted}. Restart the server to apply it.`);
  });
}
