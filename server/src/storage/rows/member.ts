import type { Permission } from '@countersign/contract/core/endpoint'
import type { NotificationTopic } from '@countersign/contract/operation/member-notifications'
import type { MemberSignInMethod } from '@countersign/contract/platforms/member-sessions'
import type { MemberState } from '@countersign/contract/states/member-states'

/** Tables of team members. Times are real, not sandbox time. */
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
  /** The role that grants the permissions. Null if they were granted individually. */
  role_id: string | null
  state: MemberState
  /** The invitation that can be accepted, if any. */
  invitation_id: string | null
  /** The last code sent. Null once it is used. */
  code_id: string | null
  last_sign_in_at: Date | null
  /** The channel for the member's digests. Null if they are disabled. */
  notify_by: 'EMAIL' | 'WEBHOOK' | null
  notify_about: NotificationTopic[]
  notify_minutes: number
  /** The job of the next digest. */
  digest_job_id: string | null
  /** The records that were waiting at the time of the last digest, newest first. */
  digest_records: string[]
  /** Incremented when the member's permissions change. */
  version: number
  created_at: Date
  updated_at: Date
}

export interface MemberRoleRow {
  id: string
  platform_id: string
  name: string
  permissions: Permission[]
  /** Incremented when the role or its set of members changes. */
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
  /** SHA-256 in hex of the secret in the link. */
  secret_hash: string
  expires_at: Date
  used_at: Date | null
  created_at: Date
  maker: 'OPERATOR' | 'TOKEN' | 'MEMBER'
  /** The token or team member that created it. Null if it was the operator. */
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
  /** When the latest challenge that it signed was created. */
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
  /** SHA-256 of the cookie in hex. */
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
  /** The deposit from which, together with the choice, `object_id` is derived. Null for other objects. */
  deposit_id: string | null
  choice: Readonly<Record<string, unknown>> | null
}
