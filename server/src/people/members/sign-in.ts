import { timingSafeEqual } from 'node:crypto'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { member_sign_in } from '@countersign/contract/platforms/member-sessions'
import { type App, inRealTime, type Op } from '../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../kernel/operation/operation.ts'
import { update } from '../../storage/commit/writes.ts'
import type { MemberRow } from '../../storage/rows/member.ts'
import { CODE_TRIES_MAX, codeMac, latestCode } from './email-codes.ts'
import { findLink, findUsableLink, nameLink } from './links.ts'
import { findMember, isPresent } from './members.ts'
import { readChallenge, requireRelyingParty } from './passkeys.ts'
import { actingMember, signIn, toCaller } from './sessions.ts'
import {
  countAttempt,
  selectMemberById,
  selectMembersByEmail,
  selectPasskey,
  selectPasskeyOf,
} from './store.ts'

type Body = BodyOf<typeof member_sign_in>
type Of<Type extends Body['type']> = Extract<Body, { type: Type }>

const WRONG_CODE =
  'The code is wrong, or it expired, was used or was replaced by a later one. Request a new one.'
const UNKNOWN_PASSKEY = 'No member has this passkey.'

/** The member and platform that a body claims, before any check of the proof. Throws 401 `UNAUTHORIZED`. */
export async function resolveMember(app: App, body: Body): Promise<Caller> {
  const member = await findClaimedMember(app, body)
  const caller = member && (await toCaller(app, member))
  if (!caller) throw body.type === 'CODE' ? wrongCode() : signInRefusal('The member or the platform is gone.')
  return caller
}

/** A name for the credential in a body, for counting attempts. */
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
      if (!passkey) throw signInRefusal(UNKNOWN_PASSKEY)
      return selectMemberById(app, passkey.member_id)
    }
    case 'LINK':
      return selectMemberById(app, (await findLink(app, body.token, 'SIGN_IN')).member_id)
    case 'CODE':
      return latestCode(app, await selectMembersByEmail(app, body.email, body.platformId))
  }
}

/** Signs in with the proof in the body. Throws 401 `UNAUTHORIZED` with a reason. */
export async function signInBy(platformOp: Op, body: Body) {
  const op = inRealTime(platformOp)
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

async function signInByPasskey(op: Op, { challenge, assertion }: Of<'PASSKEY'>) {
  const madeAt = readChallenge(op, 'get', challenge)
  if (!madeAt) throw signInRefusal('The sign-in took too long. Begin again.')
  const passkey = await selectPasskeyOf(op, assertion.credentialId)
  if (!passkey) throw signInRefusal(UNKNOWN_PASSKEY)
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
  if ('failure' in verified) throw signInRefusal(`The passkey was refused: ${verified.reason}.`)
  if (passkey.challenged_at && passkey.challenged_at >= madeAt)
    throw signInRefusal('A later sign-in with this passkey was finished already. Begin again.')
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
const counted = new WeakMap<Op, string>()

async function signInByCode(op: Op, countingOp: Op, { code }: Of<'CODE'>) {
  const member = await requirePresentMember(op, actingMember(op).memberId)
  const sent = member.code_id
  if (!sent) throw wrongCode()
  if (counted.get(countingOp) !== sent && !(await countAttempt(op, sent, CODE_TRIES_MAX))) throw wrongCode()
  counted.set(countingOp, sent)
  const expectedMac = await codeMac(op, sent)
  if (!expectedMac || !timingSafeEqual(expectedMac.ofCode(code), expectedMac.stored)) throw wrongCode()
  return signIn(op, member, { method: 'CODE' }, { code_id: null }, { code_id: sent })
}

async function requirePresentMember(op: Op, id: string): Promise<MemberRow> {
  const member = await findMember(op, id).catch(() => undefined)
  if (!member || !isPresent(member)) throw signInRefusal('The member was removed.')
  return member
}

function wrongCode(): ApiError {
  return new ApiError('UNAUTHORIZED', {
    message: WRONG_CODE,
    reason: WRONG_CODE,
    details: { code: 'INVALID_OTP_CODE' },
  })
}

function signInRefusal(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: reason, reason })
}
