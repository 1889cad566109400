import type { ToolRisk } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PolicySection } from './policy-section.ts';
import { compileRules, describeRule } from './rule-list.ts';

/** Compiles what a policy says about pages (MCP Apps): why one may not make a call with this risk, or `undefined`. */
export function compilePageRules(apps: PolicySection['apps']): (tool: Tool, risk?: ToolRisk) => string | undefined {
  if (apps === undefined) return () => undefined;
  if (apps === false) return () => 'the policy lets apps call no tool';
  const { allow, deny = [] } = apps;
  const denied = compileRules(deny, 'restrict');
  const allowed = compileRules(allow ?? []);
  return (tool, risk) => {
    const rule = denied.find(tool, risk);
    if (rule !== undefined) return `the rule apps.deny[${rule}] (${describeRule(deny[rule])}) forbids it to apps`;
    if (allow === undefined || allowed.find(tool, risk) !== undefined) return undefined;
    const what = allowed.find(tool) === undefined ? 'tools' : 'calls';
    return `it is not among the ${what} that the policy lets apps ${what === 'tools' ? 'call' : 'make'}`;
  };
}
