import { alignColumns, wrapText } from '../../../cli/shared/print/columns.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

/** Renders streamed Markdown for a terminal. */
export interface MarkdownRenderer {
  /** Takes a piece and returns the finished lines. */
  push(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

/** Renders headings, bold text, lists, quotes, code and tables; wraps lines at the width. */
export function createMarkdownRenderer(style: TextStyle, width: number): MarkdownRenderer {
  let held = '';
  let fence: string | undefined;
  let table: string[] = [];
  const endTable = (): string => {
    const rows = table;
    table = [];
    return rows.length === 0 ? '' : `${renderTable(rows, style, width).join('\n')}\n`;
  };
  const line = (text: string): string => {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence) && text.trim() === mark) {
        fence = undefined;
        return '';
      }
      return `  ${style.cyan(text)}\n`;
    }
    if (/^\s*\|.*\|\s*$/.test(text)) {
      table.push(text.trim());
      return '';
    }
    const before = endTable();
    if (mark !== '') {
      fence = mark;
      return before;
    }
    return `${before}${renderLine(text, style, width)}\n`;
  };
  return {
    push(piece) {
      const lines = (held + piece).split('\n');
      held = lines.pop() ?? '';
      return lines.map((text) => line(text.replace(/\r$/, ''))).join('');
    },
    end() {
      const rest = held === '' ? '' : line(held);
      held = '';
      fence = undefined;
      return rest + endTable();
    },
  };
}

function renderLine(text: string, style: TextStyle, width: number): string {
  const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(text) ?? [];
  if (heading !== undefined) return wrapText(style.bold(plain(heading)), width).join('\n');
  if (/^\s*(?:-\s*){3,}$|^\s*(?:\*\s*){3,}$/.test(text)) return style.dim('─'.repeat(Math.min(width, 40)));
  const [, quoted] = /^\s*>\s?(.*)$/.exec(text) ?? [];
  if (quoted !== undefined) {
    return wrapText(inline(quoted, style), width - 2)
      .map((part) => `${style.dim('│')} ${part}`)
      .join('\n');
  }
  const [, indent = '', bullet = '', item = ''] = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/.exec(text) ?? [];
  if (bullet !== '') {
    const mark = /^[-*+]$/.test(bullet) ? '•' : bullet;
    const margin = ' '.repeat(indent.length + mark.length + 1);
    return wrapText(inline(item, style), width - margin.length)
      .map((part, index) => (index === 0 ? `${indent}${mark} ${part}` : `${margin}${part}`))
      .join('\n');
  }
  return wrapText(inline(text, style), width).join('\n');
}

/** Renders bold text, code and links within a line. */
function inline(text: string, style: TextStyle): string {
  return text.replaceAll(
    /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|\[([^\]]+)\]\((\S+?)\)/g,
    (whole, ...groups: (string | undefined)[]) => {
      const [code, bold, strong, label, address] = groups;
      if (code !== undefined) return style.cyan(code);
      if (label !== undefined) return label === address ? label : `${label} (${address ?? ''})`;
      return style.bold(bold ?? strong ?? whole);
    },
  );
}

/** Removes marks that would end the colour of a heading. */
function plain(text: string): string {
  return text.replaceAll(/\*\*|__|`/g, '');
}

function renderTable(lines: readonly string[], style: TextStyle, width: number): string[] {
  const rows = lines.map((text) =>
    text
      .replaceAll(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|')),
  );
  const isRule = (row: readonly string[]): boolean => row.every((cell) => /^:?-+:?$/.test(cell));
  const [, second] = rows;
  const hasHead = second !== undefined && isRule(second);
  const shown = rows.filter((row) => !isRule(row));
  const cells = shown.map((row, index) =>
    row.map((cell) => (hasHead && index === 0 ? style.bold(plain(cell)) : inline(cell, style))),
  );
  return alignColumns(cells, width, 'wrap');
}
