import type { Permission } from '@countersign/contract/core/endpoint'
import type { NotificationTopic } from '@countersign/contract/operation/member-notifications'
import type { MemberSignInMethod } from '@countersign/contract/platforms/member-sessions'
import type { MemberState } from '@countersign/contract/states/member-states'

/** Rows of members. Their times are real, not sandbox time. */
export interface MemberTables {
  members: MemberRow
  member_roles: MemberRoleRow
  member_links: MemberLinkRow
  member_codes: MemberCodeRow
  member_passkeys: MemberPasskeyRow
  member_sessions: MemberSessionRow
  approval_votes: ApprovalVoteRow
}

export interface MemberRow {
  id: string
  platform_id: string
  name: string
  email: string
  permissions: Permission[]
  /** The role that grants the permissions; null if they were granted individually. */
  role_id: string | null
  state: MemberState
  /** The invitation that can be accepted. */
  invitation_id: string | null
  /** The code sent last; null once used. */
  code_id: string | null
  last_sign_in_at: Date | null
  /** The channel of the member's digests; null if digests are off. */
  notify_by: 'EMAIL' | 'WEBHOOK' | null
  notify_about: NotificationTopic[]
  notify_minutes: number
  /** The job of the next digest. */
  digest_job_id: string | null
  /** The records that were pending at the last digest, newest first. */
  digest_records: string[]
  /** Incremented by every change of the member's permissions. */
  version: number
  created_at: Date
  updated_at: Date
}

export interface MemberRoleRow {
  id: string
  platform_id: string
  name: string
  permissions: Permission[]
  /** Incremented by every change of the role or its set of members. */
  version: number
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
}

export interface MemberLinkRow {
  id: string
  platform_id: string
  member_id: string
  purpose: 'INVITATION' | 'SIGN_IN'
  /** SHA-256 of the secret in the link, in hex. */
  secret_hash: string
  expires_at: Date
  used_at: Date | null
  created_at: Date
  maker: 'OPERATOR' | 'TOKEN' | 'MEMBER'
  /** The token or team member that made it; null for the operator. */
  maker_id: string | null
}

export interface MemberCodeRow {
  id: string
  platform_id: string
  member_id: string
  code_mac: Uint8Array
  tries: number
  expires_at: Date
  created_at: Date
}

export interface MemberPasskeyRow {
  id: string
  platform_id: string
  member_id: string
  name: string
  /** base64url. */
  webauthn_id: string
  /** COSE_Key bytes. */
  public_key: Uint8Array
  sign_count: bigint
  /** The time of the latest challenge that it signed. */
  challenged_at: Date | null
  last_used_at: Date | null
  removed_at: Date | null
  created_at: Date
}

export interface MemberSessionRow {
  id: string
  platform_id: string
  member_id: string
  method: MemberSignInMethod
  passkey_id: string | null
  /** SHA-256 of the cookie, in hex. */
  secret_hash: string
  address: string
  user_agent: string | null
  last_seen_at: Date
  expires_at: Date
  ended_at: Date | null
  created_at: Date
}

export interface ApprovalVoteRow {
  platform_id: string
  object_id: string
  member_id: string
  /** Starts at 1. */
  place: number
  at: Date
  /** The deposit from which, with the choice, `object_id` is derived; null for other objects. */
  deposit_id: string | null
  choice: Readonly<Record<string, unknown>> | null
}
