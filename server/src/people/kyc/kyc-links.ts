import { createHash } from 'node:crypto'
import { KYC_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { isSameSecret } from '../../base/crypto/constant-time.ts'
import { type App, addSeconds, createOp, type Op } from '../../kernel/operation/app.ts'
import { createLinkToken, readLinkToken } from '../../kernel/operation/link-token.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { Log } from '../../kernel/ports/log.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import type { KycLinkRow } from '../../storage/rows/kyc-link.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { listUnverifiedContacts } from '../customers/contacts.ts'
import { selectKycLink } from './store.ts'

/**
 * Links to a customer's verification page. The first visitor of a link gets a session, bound to a cookie.
 */

const LINK_SECONDS = 24 * 60 * 60
/** The maximum duration of a session, and its idle timeout. */
const SESSION_SECONDS = 60 * 60
const IDLE_SECONDS = 30 * 60
/** The precision of a session's last request time. */
const SEEN_SECONDS = 60
/** The maximum number of files per page: far more than any verification requires. */
const UPLOADS_MAX = 100

export const KYC_PAGE_PATH = '/verify/'

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks the page to which the customer returns. Throws 400 naming the field unless the URI uses https, or
 * http on this machine.
 */
export function checkRedirect(uri: string | undefined): string | null {
  if (uri === undefined) return null
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  const isLoopback = url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)
  if (!url || !(url.protocol === 'https:' || isLoopback))
    throw createFieldError(
      'INVALID_INPUT',
      'redirectUri',
      'redirectUri must be an https:// URL, or an http:// URL on localhost',
    )
  if (url.username || url.password)
    throw createFieldError(
      'INVALID_INPUT',
      'redirectUri',
      'redirectUri must not contain a user name or a password',
    )
  return url.href
}

/** Throws 409 `CUSTOMER_ALREADY_DECIDED` or `CONTACT_NOT_VERIFIED`. */
export function checkCanHaveLink(customer: CustomerRow): void {
  const { verification_status: status } = customer
  if (nextState(KYC_TRANSITIONS, status, 'approve') === null)
    throw new ApiError('CUSTOMER_ALREADY_DECIDED', {
      message: `The customer is already ${status}. There is nothing to verify.`,
      details: { field: 'customerId', status },
    })
  const [contact] = listUnverifiedContacts(customer)
  if (contact)
    throw new ApiError('CONTACT_NOT_VERIFIED', {
      message: `The customer's ${contact} is not verified. Call POST /customers/{customerId}/verify-${contact} first.`,
      details: { field: 'customerId', contact },
    })
}

/** Creates a link for the caller. Guard: the customer is unchanged. */
export function makeKycLink(
  op: Op,
  customer: CustomerRow,
  redirectUri: string | null,
): { readonly url: string; readonly expiresAt: Date; readonly writes: readonly Write[] } {
  const link: KycLinkRow = {
    id: op.newId('KycLink'),
    platform_id: op.platform.id,
    customer_id: customer.id,
    redirect_uri: redirectUri,
    created_at: op.now,
    expires_at: addSeconds(op.now, LINK_SECONDS),
    opened_at: null,
    session_hash: null,
    seen_at: null,
    uploads: 0,
  }
  return {
    url: `${op.origin()}${KYC_PAGE_PATH}${createLinkToken(op.enclave, 'kycLink', getLinkUuid(link), toTokenData(link))}`,
    expiresAt: link.expires_at,
    writes: [
      insert('kyc_links', link),
      expectRow('customers', customer.id, { version: customer.version, deleted_at: null }),
    ],
  }
}

/** Lists the data that a link's token authenticates. */
function toTokenData({
  id,
  platform_id,
  customer_id,
  expires_at,
  redirect_uri,
}: KycLinkRow): (string | number)[] {
  return [id, platform_id, customer_id, expires_at.getTime(), redirect_uri ?? '']
}

/** Extracts the UUID of a link, which its URL and the name of its cookie contain. */
export function getLinkUuid({ id }: Pick<KycLinkRow, 'id'>): string {
  return id.slice('KycLink:'.length)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A link with an operation on behalf of its customer. */
export interface UsedLink {
  readonly op: Op
  readonly link: KycLinkRow
}

/** Finds the link of a token, opened or not. Undefined if the token is invalid. */
export async function findLinkByToken(app: App, token: string, log: Log): Promise<UsedLink | undefined> {
  const read = readLinkToken(app.enclave, 'kycLink', token)
  const usedLink = read && (await findLink(app, read.uuid, log))
  return usedLink && read.matches(toTokenData(usedLink.link)) ? usedLink : undefined
}

/** Finds the link whose open session has this secret. */
export async function findSession(
  app: App,
  uuid: string,
  secret: string | undefined,
  log: Log,
): Promise<UsedLink | undefined> {
  if (secret === undefined || !UUID.test(uuid)) return undefined
  const usedLink = await findLink(app, uuid, log)
  return usedLink && hasSession(usedLink, secret) ? usedLink : undefined
}

/** True if the link has an open session with this secret. */
export function hasSession({ op, link }: UsedLink, secret: string | undefined): boolean {
  const { opened_at, seen_at, session_hash } = link
  if (secret === undefined || !opened_at || !seen_at || !session_hash) return false
  const hasEnded =
    op.now >= addSeconds(opened_at, SESSION_SECONDS) || op.now >= addSeconds(seen_at, IDLE_SECONDS)
  return !hasEnded && isSameSecret(session_hash, hashSecret(secret))
}

/** True if the link can still be opened by its first visitor. */
export function isUnused({ op, link }: UsedLink): boolean {
  return link.opened_at === null && link.expires_at > op.now
}

/** Opens a link for the visitor with this secret. Guard: nobody else has opened it. */
export function openLink({ op, link }: UsedLink, secret: string): Write {
  const opened = { opened_at: op.now, session_hash: hashSecret(secret), seen_at: op.now }
  return update('kyc_links', link.id, { opened_at: null }, opened)
}

/** Updates the time of the session's last request if the stored time is too old. */
export function recordActivity({ op, link }: UsedLink): Write[] {
  const isRecent = link.seen_at !== null && op.now < addSeconds(link.seen_at, SEEN_SECONDS)
  return isRecent ? [] : [update('kyc_links', link.id, { seen_at: link.seen_at }, { seen_at: op.now })]
}

/** Counts an upload before it is accepted. Throws 429 `RATE_LIMITED` if the page has reached its limit. */
export function countUpload({ link }: UsedLink): Write {
  const { id, uploads } = link
  if (uploads >= UPLOADS_MAX)
    throw new ApiError('RATE_LIMITED', { message: `This page accepts at most ${UPLOADS_MAX} files.` })
  return update('kyc_links', id, { uploads }, { uploads: uploads + 1 })
}

export async function reloadLink(app: App, { op, link }: UsedLink): Promise<UsedLink> {
  return { op, link: (await selectKycLink(app, link.id)) ?? link }
}

async function findLink(app: App, uuid: string, log: Log): Promise<UsedLink | undefined> {
  const link = await selectKycLink(app, `KycLink:${uuid}`)
  const platform = link && (await app.lookup(BARE_PLATFORM_BY_ID, link.platform_id))
  if (!platform || platform.closed_at) return undefined
  const actor = { kind: 'kycLink', linkId: link.id, customerId: link.customer_id } as const
  return { op: createOp(app, await app.withConfig(platform), actor, { log }), link }
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
