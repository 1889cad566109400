import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { revealHidden } from '../../../../tool/texts/reveal-hidden.ts';

/** The texts of a page. */
interface LoginPage {
  readonly title: string;
  readonly text: string;
  readonly fault?: string | undefined;
  readonly form?: { readonly wantsToken: boolean; readonly button: string };
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.25rem 0 1rem}button{font:inherit;padding:.4rem 1rem}.fault{color:#a40000}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Answers with a page that runs no scripts, loads nothing and stands in no frame. */
export function writePage(response: ServerResponse, status: number, { title, text, fault, form }: LoginPage): void {
  const field =
    '<label>Your token of this board<input type="password" name="token" required autocomplete="current-password"></label>';
  const body = [
    `<h1>${escape(title)}</h1>`,
    `<p>${escape(text)}</p>`,
    ...(fault === undefined ? [] : [`<p class="fault" role="alert">${escape(fault)}</p>`]),
    ...(form === undefined
      ? []
      : [`<form method="post">${form.wantsToken ? field : ''}<button>${escape(form.button)}</button></form>`]),
  ];
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><style>${STYLE}</style></head><body>${body.join('')}</body></html>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    // The way on leads to another origin, which some browsers count as an action of the form.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // The address is what the user was sent. Without a referrer at all, browsers hide the origin of the form from us too.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  });
  response.end(html);
}

function escape(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return revealHidden(text).replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}
