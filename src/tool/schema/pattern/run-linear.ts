import type { RE2JS } from 're2js';
import { loadPeer } from '../../../platform/peers/load-peer.ts';
import type { PatternNode } from './pattern-node.ts';
import { shiftText, toRe2 } from './to-re2.ts';

/** Runs a pattern with RE2, whose library is loaded, and whose program is made, when the first text arrives. */
export function runLinear(node: PatternNode, unicode: boolean): (text: string) => boolean {
  let program: RE2JS | undefined;
  return (text) => {
    program ??= compile(node, unicode);
    return program.test(unicode ? text : shiftText(text));
  };
}

function compile(node: PatternNode, unicode: boolean): RE2JS {
  // What the package exports.
  const library = loadPeer('re2js', 'A pattern that must run in linear time') as { readonly RE2JS: typeof RE2JS };
  return library.RE2JS.compile(toRe2(node, unicode));
}
