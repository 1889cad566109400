export { startInspector, type Inspector, type InspectorOptions } from './inspector/start-inspector.ts';
export {
  ApprovalInbox,
  type ApprovalDecision,
  type InboxEvents,
  type PendingApproval,
  type SettledApproval,
} from './guard/approval/approval-inbox.ts';
export { firstAnswer } from './guard/approval/ask-together.ts';
