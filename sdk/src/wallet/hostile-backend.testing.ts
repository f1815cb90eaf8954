import { createHash } from 'node:crypto'
import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { parseJson, toCanonicalJson, toJson } from '@countersign/server/base/json/json'
import type { Caller } from '../client/calls.ts'
import { systemClock } from '../time/system-clock.ts'

/** Ids shared by the tests, in the form that the contract requires. */
export const ACCOUNT = 'InternalAccount:a'
export const QUOTE = 'Quote:q'

type Members = Readonly<Record<string, unknown>>
/** A statement on its way to the device, and the remaining fields of the response. */
export interface Sent {
  payload: Members
  requestId: string
  expiresAt: string
  /** Sent instead of the serialized payload. */
  text?: string
}

export const inMinutes = (minutes: number) => new Date(systemClock() + minutes * 60_000).toISOString()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
export const hashCanonical = (body: unknown) => sha256(toCanonicalJson(body))

const CREDENTIAL = { id: 'AuthMethod:c', type: 'EMAIL_OTP', nickname: 'ada@example.com' }

export const PAYEE = {
  destinationType: 'ACCOUNT',
  accountId: 'ExternalAccount:e',
  currency: 'USD',
  paymentRail: 'ACH',
  accountInfo: {
    accountType: 'USD_ACCOUNT',
    accountNumber: '000123456789',
    routingNumber: '021000021',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  },
}

/** The payload fields specific to a payment. The first amount does not fit into a double. */
export const PAYMENT = {
  quote: QUOTE,
  sends: { amount: 9_007_199_254_740_993n, currency: 'USDB' },
  feesIncluded: 226_131n,
  delivers: { amount: 2_500n, currency: 'USD' },
  destination: PAYEE,
}

/** The payload fields specific to each operation. */
const SPECIFIC_FIELDS: Readonly<Record<string, (body: Members) => Members>> = {
  quote_execute: () => PAYMENT,
  credential_create: ({ type, nickname = 'Ada' }) => ({ credential: { type, nickname } }),
  credential_delete: () => ({ credential: CREDENTIAL }),
  session_refresh: ({ clientPublicKey }) => ({
    session: 'Session:s',
    credential: CREDENTIAL,
    clientPublicKey,
  }),
  session_delete: () => ({ session: 'Session:s', credential: CREDENTIAL }),
  internal_account_update: ({ privateEnabled }) => ({ privateEnabled }),
  internal_account_export: ({ clientPublicKey }) => ({ clientPublicKey }),
  customer_update: ({ email }) => ({
    customer: 'Customer:c',
    oldEmail: 'ada@example.com',
    newEmail: email,
    credentials: [CREDENTIAL],
  }),
  card_update: (body) => ({ card: 'Card:c', ...body }),
  delegated_key_create: ({ cardId, nickname }) => ({ card: cardId, nickname }),
}

/** Issues the statement that the real server would issue for a call. */
export function issue(name: string, input: Members): Sent {
  const isExecution = ['quote_execute', 'agent_action_approve', 'transaction_approve'].includes(name)
  const operation = isExecution ? 'quote_execute' : name
  const endpoint: Endpoint = API[operation as keyof typeof API]
  const params = isExecution ? { quoteId: QUOTE } : ((input.params ?? {}) as Record<string, string>)
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param]!)
  // The body after a JSON round trip, without values that JSON cannot represent.
  const body = isExecution || input.body === undefined ? undefined : parseJson(toJson(input.body))
  const [requestId, expiresAt] = ['Request:r', inMinutes(5)]
  const payload = {
    operation,
    summary: `Do ${operation}`,
    ...SPECIFIC_FIELDS[operation]!((body ?? {}) as Members),
    account: ACCOUNT,
    target: `${endpoint.method} ${path}`,
    bodySha256: hashCanonical(body),
    requestId,
    expiresAt,
  }
  return { payload, requestId, expiresAt }
}

/** Computes the challenge in a passkey's payload, 64 hex characters. */
export const hashChallenge = sha256

/**
 * A backend between device and server. It responds to every call as the server would, with the payload changed by
 * `tamper`. `signed` lists the calls that carried a signature.
 */
export function backend(tamper: (sent: Sent) => Sent) {
  const signed: string[] = []
  const respond = (name: string, input: Members) => {
    if (input.signature !== undefined) {
      signed.push(name)
      return { status: 200, body: {} }
    }
    if (name === 'credential_list') return { status: 200, body: { data: [] } }
    const sent = tamper(issue(name, input))
    const { requestId, expiresAt } = sent
    const payloadToSign = sent.text ?? toJson(sent.payload)
    return { status: 202, body: { payloadToSign, requestId, expiresAt } }
  }
  return { caller: createCaller(respond).caller, signed }
}

/** Creates a `Caller` that gets its responses from a function, and records its calls. */
export function createCaller(respond: (name: string, input: Record<string, unknown>) => unknown) {
  const calls: { name: string; input: Record<string, unknown> }[] = []
  const caller = {
    call: async (name: string, input: Record<string, unknown> = {}) => {
      calls.push({ name, input })
      return respond(name, input)
    },
  } as unknown as Caller
  return { caller, calls }
}
