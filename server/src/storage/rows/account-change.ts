import type { AuditActorType } from '@countersign/contract/core/actors'
import type { AccountChangeState } from '@countersign/contract/states/account-change-states'
import type { Stamped } from './stamped.ts'

/** Values of an account by field, including `holderName`. Null if the account does not have the field. */
export type AccountValues = Readonly<Record<string, string | null>>

/** Changed details of an external account, as reported by a rail. */
export interface AccountChangeRow extends Stamped {
  id: string
  platform_id: string
  /** Null if the account is the platform's own. */
  customer_id: string | null
  external_account_id: string
  /** The payment for which the change was reported. */
  transaction_id: string
  rail: string
  rail_event_id: string
  code: string | null
  message: string | null
  /** The account's current values of the fields in `proposed`. */
  previous: AccountValues
  proposed: AccountValues
  state: AccountChangeState
  reason: string | null
  actor_type: AuditActorType | null
  actor_id: string | null
  actor_name: string | null
  decided_at: Date | null
}

export interface AccountChangeTables {
  account_changes: AccountChangeRow
}
