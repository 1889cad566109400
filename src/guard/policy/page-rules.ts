import type { Tool } from '../../tool/tool.ts';
import type { PolicySection } from './policy-section.ts';
import { compileRules, describeRule } from './rule-list.ts';

/** Compiles what a policy says about pages (MCP Apps): why one may not call a tool, or `undefined`. */
export function compilePageRules(apps: PolicySection['apps']): (tool: Tool) => string | undefined {
  if (apps === undefined) return () => undefined;
  if (apps === false) return () => 'the policy lets apps call no tool';
  const { allow, deny = [] } = apps;
  const denied = compileRules(deny, 'restrict');
  const allowed = compileRules(allow ?? []);
  return (tool) => {
    const rule = denied.find(tool);
    if (rule !== undefined) return `the rule apps.deny[${rule}] (${describeRule(deny[rule])}) forbids it to apps`;
    return allow === undefined || allowed.find(tool) !== undefined
      ? undefined
      : 'it is not among the tools that the policy lets apps call';
  };
}
