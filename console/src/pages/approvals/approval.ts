import type { Approval as ApprovalSchema } from '@countersign/contract/agents/approvals'
import type { Static } from 'typebox'

export type Approval = Static<typeof ApprovalSchema>
