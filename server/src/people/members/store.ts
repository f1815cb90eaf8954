import type { MemberState } from '@countersign/contract/states/member-states'
import type { App, Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { BARE_PLATFORM, BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import { lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type {
  MemberCodeRow,
  MemberLinkRow,
  MemberPasskeyRow,
  MemberRow,
  MemberSessionRow,
} from '../../storage/rows/member.ts'
import type { BarePlatformRow } from '../../storage/rows/tables.ts'

const MEMBER_BY_ID = lookupById('members')

export async function selectMember(op: Op, id: string): Promise<MemberRow | undefined> {
  return op.find(MEMBER_BY_ID, id)
}

/** A member of any platform. */
export async function selectMemberById(
  { lookup }: Pick<App, 'lookup'>,
  id: string,
): Promise<MemberRow | undefined> {
  return lookup(MEMBER_BY_ID, id)
}

/** The member with this address, ignoring case. */
export async function selectMemberByEmail(op: Op, email: string): Promise<MemberRow | undefined> {
  return op.read
    .selectFrom('members')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(email)])))
    .where('state', '<>', 'REMOVED')
    .executeTakeFirst()
}

export interface MemberFilters {
  readonly status?: MemberState
  readonly email?: string
  readonly roleId?: string
}

/** A page of the matching members. */
export function selectMembers(op: Op, { status, email, roleId }: MemberFilters) {
  return op.read
    .selectFrom('members')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('state', status ? '=' : '<>', status ?? 'REMOVED')
    .$call((q) => whereIfDefined(q, 'role_id', '=', roleId))
    .$call((q) =>
      email === undefined
        ? q
        : q.where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(email)]))),
    )
}

/** Up to `max` members of a platform who are not removed, oldest first. */
export async function selectPresentMembers(op: Op, max: number): Promise<MemberRow[]> {
  return op.read
    .selectFrom('members')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('state', '<>', 'REMOVED')
    .orderBy('created_at')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** Finds the platform of a record. Undefined if the platform is closed. */
export async function selectRecordPlatform(
  { lookup }: Pick<App, 'lookup'>,
  { platform_id }: { readonly platform_id: string },
): Promise<BarePlatformRow | undefined> {
  const platform = await lookup(BARE_PLATFORM_BY_ID, platform_id)
  return platform?.closed_at ? undefined : platform
}

const LINK_BY_HASH = lookupByKey<MemberLinkRow>(
  'SELECT * FROM member_links WHERE secret_hash = ANY ($1::text[])',
  'secret_hash',
)

export async function selectLink(
  { lookup }: Pick<App, 'lookup'>,
  secretHash: string,
): Promise<MemberLinkRow | undefined> {
  return lookup(LINK_BY_HASH, secretHash)
}

export async function selectPlatformLink(op: Op, secretHash: string): Promise<MemberLinkRow | undefined> {
  return op.find(LINK_BY_HASH, secretHash)
}

const PASSKEY_BY_WEBAUTHN_ID = lookupByKey<MemberPasskeyRow>(
  'SELECT * FROM member_passkeys WHERE webauthn_id = ANY ($1::text[]) AND removed_at IS NULL',
  'webauthn_id',
)

export async function selectPasskey(
  { lookup }: Pick<App, 'lookup'>,
  webauthnId: string,
): Promise<MemberPasskeyRow | undefined> {
  return lookup(PASSKEY_BY_WEBAUTHN_ID, webauthnId)
}

/** The passkey with this id, if it belongs to this platform. */
export async function selectPlatformPasskey(
  op: Op,
  webauthnId: string,
): Promise<MemberPasskeyRow | undefined> {
  return op.find(PASSKEY_BY_WEBAUTHN_ID, webauthnId)
}

/** True if a member on this server has the passkey. */
export async function isMemberPasskeyRegistered(op: Op, webauthnId: string): Promise<boolean> {
  const { rows } = await op.db.query(
    'SELECT 1 FROM member_passkeys WHERE webauthn_id = $1 AND removed_at IS NULL',
    [webauthnId],
  )
  return rows.length > 0
}

/** A member's passkeys, oldest first. */
export async function selectPasskeys(op: Op, memberId: string): Promise<MemberPasskeyRow[]> {
  return op.read
    .selectFrom('member_passkeys')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('member_id', '=', memberId)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/**
 * Up to twenty members with this address, on one platform or on all of them. Those who signed in most
 * recently come first.
 */
export async function selectMembersByEmail(
  { read }: Pick<App, 'read'>,
  email: string,
  platformId: string | undefined,
): Promise<MemberRow[]> {
  return read
    .selectFrom('members')
    .selectAll()
    .where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(email)])))
    .where('state', '=', 'ACTIVE')
    .$call((q) => whereIfDefined(q, 'platform_id', '=', platformId))
    .orderBy('last_sign_in_at', (order) => order.desc().nullsLast())
    .orderBy('id')
    .limit(20)
    .execute()
}

const CODE_BY_ID = lookupById('member_codes')

export async function selectCode(op: Op, id: string): Promise<MemberCodeRow | undefined> {
  return op.find(CODE_BY_ID, id)
}

/** Of these codes, the one sent last. */
export async function selectLatestCode(
  { read }: Pick<App, 'read'>,
  ids: readonly string[],
): Promise<string | undefined> {
  const row = await read
    .selectFrom('member_codes')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** The times when a member's latest codes were sent, newest first. */
export async function selectCodeTimes(op: Op, memberId: string, since: Date, limit: number): Promise<Date[]> {
  const rows = await op.read
    .selectFrom('member_codes')
    .select('created_at')
    .where('platform_id', '=', op.platform.id)
    .where('member_id', '=', memberId)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.created_at)
}

/**
 * Counts an attempt to enter a code. Returns true if the code had an attempt left. The statement commits
 * before the code is compared, so every attempt counts, and parallel attempts cannot exceed the limit.
 */
export async function countAttempt(op: Op, codeId: string, triesMax: number): Promise<boolean> {
  const { rows } = await op.db.query(
    `UPDATE member_codes SET tries = tries + 1
     WHERE id = $1 AND platform_id = $2 AND tries < $3 AND expires_at > $4 RETURNING id`,
    [extractUuid(codeId), extractUuid(op.platform.id), triesMax, op.now],
  )
  return rows.length > 0
}

type FoundSession = BarePlatformRow & {
  member_session_id: string
  member_id: string
  member_name: string
  permissions: MemberRow['permissions']
  expires_at: Date
  last_seen_at: Date
  secret_hash: string
}

const SESSION_BY_HASH = lookupByKey<FoundSession>(
  `SELECT ${BARE_PLATFORM}, s.id AS member_session_id, s.member_id, m.name AS member_name, m.permissions, s.expires_at,
     s.last_seen_at, s.secret_hash
   FROM member_sessions s
   JOIN members m ON m.id = s.member_id
   JOIN platforms p ON p.id = s.platform_id
   LEFT JOIN member_passkeys k ON k.id = s.passkey_id
   WHERE s.secret_hash = ANY ($1::text[]) AND s.ended_at IS NULL AND m.state = 'ACTIVE' AND k.removed_at IS NULL
     AND p.closed_at IS NULL`,
  'secret_hash',
)

/**
 * An active session with its member and platform. Reads all of them in one statement, because every request
 * of a member starts with this read.
 */
export async function selectActingMember({ lookup }: Pick<App, 'lookup'>, secretHash: string) {
  const row = await lookup(SESSION_BY_HASH, secretHash)
  if (!row) return undefined
  const {
    member_session_id,
    member_id,
    member_name,
    permissions,
    expires_at,
    last_seen_at,
    secret_hash: _,
    ...platform
  } = row
  return {
    platform,
    memberSessionId: member_session_id,
    memberId: member_id,
    memberName: member_name,
    permissions,
    expiresAt: expires_at,
    lastSeenAt: last_seen_at,
  }
}

const SESSION_BY_ID = lookupById('member_sessions')

export async function selectSession(op: Op, id: string): Promise<MemberSessionRow | undefined> {
  return op.find(SESSION_BY_ID, id)
}

/** The active sessions of one member, or of all members, newest first. */
export async function selectSessions(
  op: Op,
  memberId: string | undefined,
  max: number,
): Promise<MemberSessionRow[]> {
  return op.read
    .selectFrom('member_sessions')
    .innerJoin('members', 'members.id', 'member_sessions.member_id')
    .leftJoin('member_passkeys', 'member_passkeys.id', 'member_sessions.passkey_id')
    .selectAll('member_sessions')
    .where('member_sessions.platform_id', '=', op.platform.id)
    .$call((q) => whereIfDefined(q, 'member_sessions.member_id', '=', memberId))
    .where('member_sessions.ended_at', 'is', null)
    .where('member_sessions.expires_at', '>', op.now)
    .where('members.state', '=', 'ACTIVE')
    .where('member_passkeys.removed_at', 'is', null)
    .orderBy('member_sessions.created_at', 'desc')
    .orderBy('member_sessions.id', 'desc')
    .limit(max)
    .execute()
}
