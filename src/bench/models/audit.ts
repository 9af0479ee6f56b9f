import { httpAudit, httpFloor } from '../contenders/http-contenders.js';
import type { Model } from '../model.js';

/** Judging what was sent: every message comes over HTTP from a service on this machine. */
export const auditModel: Model = {
  name: 'audit',
  question: 'the decision on every message of a platform, page by page over HTTP',
  count: '1 for every message that is blocked, 2 for every one that is dropped',
  unit: 'message',
  contenders: () => [httpAudit, httpFloor],
};
