import { timingSafeEqual } from 'node:crypto'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { member_sign_in } from '@countersign/contract/platforms/member-sessions'
import { type App, type Op, toRealTimeOp } from '../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../kernel/operation/operation.ts'
import { update } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { CODE_TRIES_MAX, findCodeMac, findMemberWithLatestCode } from './email-codes.ts'
import { findLink, findUsableLink, nameLink } from './links.ts'
import { findMember, isPresent } from './members.ts'
import { readChallenge, requireRelyingParty } from './passkeys.ts'
import { requireActingMember, signIn, toCaller } from './sessions.ts'
import {
  countAttempt,
  selectMemberById,
  selectMembersByEmail,
  selectPasskey,
  selectPlatformPasskey,
} from './store.ts'

type Body = BodyOf<typeof member_sign_in>
type BodyOfType<Type extends Body['type']> = Extract<Body, { type: Type }>

const WRONG_CODE =
  'The code is wrong, expired, was already used, or was replaced by a newer one. Request a new one.'
const UNKNOWN_PASSKEY = 'No member has this passkey.'

/**
 * Finds the member and platform that a body claims, without checking its proof. Throws 401 `UNAUTHORIZED`.
 */
export async function resolveMember(app: App, body: Body): Promise<Caller> {
  const member = await findClaimedMember(app, body)
  const caller = member && (await toCaller(app, member))
  if (!caller)
    throw body.type === 'CODE'
      ? createWrongCodeError()
      : createSignInError('The member or the platform no longer exists.')
  return caller
}

/** Names the credential in a body, for counting failed attempts. */
export function nameCredential(body: Body): string {
  switch (body.type) {
    case 'PASSKEY':
      return `passkey ${body.assertion.credentialId}`
    case 'LINK':
      return nameLink(body.token)
    case 'CODE':
      return `code ${body.email.toLowerCase()}`
  }
}

async function findClaimedMember(app: App, body: Body): Promise<MemberRow | undefined> {
  switch (body.type) {
    case 'PASSKEY': {
      const passkey = await selectPasskey(app, body.assertion.credentialId)
      if (!passkey) throw createSignInError(UNKNOWN_PASSKEY)
      return selectMemberById(app, passkey.member_id)
    }
    case 'LINK':
      return selectMemberById(app, (await findLink(app, body.token, 'SIGN_IN')).member_id)
    case 'CODE':
      return findMemberWithLatestCode(app, await selectMembersByEmail(app, body.email, body.platformId))
  }
}

/** Signs in with the proof in the body. Throws 401 `UNAUTHORIZED` with a reason. */
export async function signInWithCredential(platformOp: Op, body: Body) {
  const op = toRealTimeOp(platformOp)
  switch (body.type) {
    case 'PASSKEY':
      return signInByPasskey(op, body)
    case 'LINK': {
      const { member, use } = await findUsableLink(op, body.token, 'SIGN_IN')
      const signedIn = signIn(op, member, { method: 'LINK' })
      return { ...signedIn, writes: [...use, ...signedIn.writes] }
    }
    case 'CODE':
      return signInByCode(op, platformOp, body)
  }
}

async function signInByPasskey(op: Op, { challenge, assertion }: BodyOfType<'PASSKEY'>) {
  const madeAt = readChallenge(op, 'get', challenge)
  if (!madeAt) throw createSignInError('The sign-in took too long. Start again.')
  const passkey = await selectPlatformPasskey(op, assertion.credentialId)
  if (!passkey) throw createSignInError(UNKNOWN_PASSKEY)
  const member = await requirePresentMember(op, passkey.member_id)
  const { verifyAssertion } = await import('../../base/crypto/webauthn/webauthn.ts')
  const verified = verifyAssertion({
    assertion,
    stored: {
      credentialId: passkey.webauthn_id,
      publicKey: passkey.public_key,
      counter: Number(passkey.sign_count),
    },
    challenge: Buffer.from(challenge, 'base64url'),
    ...requireRelyingParty(op),
  })
  if ('failure' in verified) throw createSignInError(`The passkey was refused: ${verified.reason}.`)
  if (passkey.challenged_at && passkey.challenged_at >= madeAt)
    throw createSignInError('A newer sign-in with this passkey has already finished. Start again.')
  const { sign_count, challenged_at } = passkey
  const signedIn = signIn(op, member, { method: 'PASSKEY', passkeyId: passkey.id })
  const used = { sign_count: BigInt(verified.newCounter), challenged_at: madeAt, last_used_at: op.now }
  const write = update('member_passkeys', passkey.id, { removed_at: null, sign_count, challenged_at }, used)
  return { ...signedIn, writes: [write, ...signedIn.writes] }
}

/**
 * The code for which an operation has counted its attempt. An operation may run again, and must not count
 * twice.
 */
const COUNTED_CODES = new WeakMap<Op, string>()

async function signInByCode(op: Op, countingOp: Op, { code }: BodyOfType<'CODE'>) {
  const member = await requirePresentMember(op, requireActingMember(op).memberId)
  const codeId = member.code_id
  if (!codeId) throw createWrongCodeError()
  if (COUNTED_CODES.get(countingOp) !== codeId && !(await countAttempt(op, codeId, CODE_TRIES_MAX)))
    throw createWrongCodeError()
  COUNTED_CODES.set(countingOp, codeId)
  const expectedMac = await findCodeMac(op, codeId)
  if (!expectedMac || !timingSafeEqual(expectedMac.compute(code), expectedMac.stored))
    throw createWrongCodeError()
  return signIn(op, member, { method: 'CODE' }, { code_id: null }, { code_id: codeId })
}

async function requirePresentMember(op: Op, id: string): Promise<MemberRow> {
  const member = await findMember(op, id).catch(() => undefined)
  if (!member || !isPresent(member)) throw createSignInError('The member was removed.')
  return member
}

function createWrongCodeError(): ApiError {
  return new ApiError('UNAUTHORIZED', {
    message: WRONG_CODE,
    reason: WRONG_CODE,
    details: { code: 'INVALID_OTP_CODE' },
  })
}

function createSignInError(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: reason, reason })
}
