/** First words of a query that asks to see something and to change nothing. */
const LOOKS =
  /^(?:(?:please|can|could|would|you|i|we|want|need|like|to|let|me|us|now|just|help)\s+)*(?:show|list|see|view|display|print|find|search|look|check|get|inspect|describe|compare|count|watch|tell|what|what's|which|who|whose|where|when|why|is|are|was|were|does|did|has|have|how\s+(?:many|much|often|long|big|full|old))\b/i;

/** Returns true if a query's first words ask to see something. */
export function asksToLook(query: string): boolean {
  return LOOKS.test(query.trimStart());
}
