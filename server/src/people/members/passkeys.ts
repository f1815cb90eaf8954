import { isIP } from 'node:net'
import { present } from '@countersign/contract/core/objects'
import type {
  MemberPasskey,
  MemberPasskeyOptions,
  MemberPasskeyRequest,
} from '@countersign/contract/platforms/member-passkeys'
import type { Static } from 'typebox'
import { isSameSecret } from '../../base/crypto/constant-time.ts'
import type { RelyingParty } from '../../base/crypto/webauthn/client-data.ts'
import { COSE_ALGORITHMS } from '../../base/crypto/webauthn/cose-algorithms.ts'
import { type App, addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { MemberPasskeyRow, MemberRow } from '../../storage/rows/member.ts'
import { isMemberPasskeyRegistered, selectPasskeys } from './store.ts'

/** Passkeys that sign members in to the console. Passkeys of customers are in `sign-in/`. */

const CHALLENGE_SECONDS = 5 * 60
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const CONTENT_BYTES = TIME_BYTES + RANDOM_BYTES
const DEFAULT_NAME = 'Passkey'

/** The purpose of a challenge: signing in with any passkey, or creating a passkey for one member. */
type ChallengeFor = 'get' | `create ${string}`

type Maker = Pick<Op, 'now' | 'random'> & { readonly enclave: Pick<Op['enclave'], 'mac'> }

/**
 * Creates a stateless challenge: its time, 128 random bits, and a MAC over both and its purpose. It cannot be
 * used twice: a passkey accepts no challenge older than its last one (`MemberPasskeyRow.challenged_at`), and
 * a new passkey is accepted only once by its id.
 */
export function makeChallenge(
  op: Maker,
  purpose: ChallengeFor,
): { readonly challenge: string; readonly expiresAt: Date } {
  const content = Buffer.alloc(CONTENT_BYTES)
  content.writeBigUInt64BE(BigInt(op.now.getTime()))
  content.set(op.random(RANDOM_BYTES), TIME_BYTES)
  const challenge = Buffer.concat([content, computeMac(op, purpose, content)]).toString('base64url')
  return { challenge, expiresAt: addSeconds(op.now, CHALLENGE_SECONDS) }
}

/**
 * Reads the time of a challenge. Undefined if this server did not make it, it has another purpose, or it has
 * expired.
 */
export function readChallenge(
  op: Omit<Maker, 'random'>,
  purpose: ChallengeFor,
  challenge: string,
): Date | undefined {
  const bytes = Buffer.from(challenge, 'base64url')
  const content = bytes.subarray(0, CONTENT_BYTES)
  if (content.length < CONTENT_BYTES) return undefined
  const expected = Buffer.concat([content, computeMac(op, purpose, content)]).toString('base64url')
  if (!isSameSecret(challenge, expected)) return undefined
  const madeAt = new Date(Number(content.readBigUInt64BE()))
  return addSeconds(madeAt, CHALLENGE_SECONDS) > op.now ? madeAt : undefined
}

function computeMac({ enclave }: Omit<Maker, 'random'>, purpose: ChallengeFor, content: Buffer): Uint8Array {
  return enclave.mac('memberChallenge', `${purpose}\n${content.toString('hex')}`)
}

/**
 * Finds the relying party for the origin at which the caller reached this server. Undefined if the origin
 * cannot have passkeys: an IP address, or a name without TLS, except `localhost` and its subdomains.
 */
export function findRelyingParty(ownOrigin: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(ownOrigin)
  const isIpAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  const isSecure = protocol === 'https:' || /(?:^|\.)localhost$/.test(hostname)
  if (isIpAddress || !isSecure) return undefined
  return { rpId: hostname, origins: [origin], requireUserVerification: false }
}

/** Finds the relying party of a request. Throws 400 if its origin cannot have passkeys. */
export function requireRelyingParty(op: Pick<Op, 'from' | 'origin'>): RelyingParty {
  const ownOrigin = op.from?.ownOrigin ?? op.origin()
  const party = findRelyingParty(ownOrigin)
  if (!party)
    throw new ApiError('INVALID_INPUT', {
      message: `Passkeys do not work at ${ownOrigin}. Open the console at a host name with https, or at http://localhost on this machine.`,
    })
  return party
}

/** Builds the browser's options for creating a passkey for a member. */
export async function buildPasskeyOptions(
  op: Op,
  member: MemberRow,
  { rpId }: RelyingParty,
): Promise<Static<typeof MemberPasskeyOptions>> {
  const existing = await selectPasskeys(op, member.id)
  return {
    challenge: makeChallenge(op, `create ${member.id}`).challenge,
    rp: { id: rpId, name: op.platform.name },
    user: {
      id: Buffer.from(member.id).toString('base64url'),
      name: member.email,
      displayName: member.name,
    },
    pubKeyCredParams: COSE_ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: existing.map(({ webauthn_id }) => ({ id: webauthn_id, type: 'public-key' })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'preferred',
    },
    attestation: 'none',
    timeout: CHALLENGE_SECONDS * 1000,
  }
}

/**
 * Verifies a passkey that a browser has created for a member. Guard: no member on this server has the
 * passkey. Throws 400 naming the field, or `PASSKEY_CREDENTIAL_ALREADY_EXISTS`.
 */
export async function registerPasskey(
  op: Op,
  member: MemberRow,
  { name = DEFAULT_NAME, challenge, attestation }: Static<typeof MemberPasskeyRequest>,
): Promise<{ readonly row: MemberPasskeyRow; readonly write: Write }> {
  const party = requireRelyingParty(op)
  const madeAt = readChallenge(op, `create ${member.id}`, challenge)
  if (!madeAt)
    throw createFieldError(
      'INVALID_INPUT',
      'challenge',
      'challenge has expired or belongs to another member. Start again.',
    )
  const { verifyRegistration } = await import('../../base/crypto/webauthn/webauthn.ts')
  const verified = await verifyRegistration({ ...attestation, challenge, ...party })
  if ('failure' in verified)
    throw createFieldError('INVALID_INPUT', 'attestation', `The passkey was refused: ${verified.reason}.`)
  if (await isMemberPasskeyRegistered(op, verified.credentialId))
    throw new ApiError('PASSKEY_CREDENTIAL_ALREADY_EXISTS')
  const row: MemberPasskeyRow = {
    id: op.newId('MemberPasskey'),
    platform_id: op.platform.id,
    member_id: member.id,
    name,
    webauthn_id: verified.credentialId,
    public_key: verified.publicKey,
    sign_count: BigInt(verified.counter),
    challenged_at: null,
    last_used_at: null,
    removed_at: null,
    created_at: op.now,
  }
  return { row, write: insert('member_passkeys', row) }
}

/** Creates a challenge for signing in, before the platform is known. */
export function makeSignInChallenge({ clock, enclave }: App, random: Op['random'], ownOrigin: string) {
  const { challenge, expiresAt } = makeChallenge(
    { now: clock(), random, enclave: enclave.forOperation() },
    'get',
  )
  const party = findRelyingParty(ownOrigin)
  return { challenge, ...present({ rpId: party?.rpId }), expiresAt: expiresAt.toISOString() }
}

/** Converts a passkey to its API form. */
export function toPasskeyView(row: MemberPasskeyRow): Static<typeof MemberPasskey> {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    ...present({ lastUsedAt: row.last_used_at?.toISOString() }),
  }
}
