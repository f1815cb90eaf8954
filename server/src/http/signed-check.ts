import type { Endpoint } from '@countersign/contract/core/endpoint'

/**
 * What becomes of a call by what it brings to be approved by (specification 3.4), as two tables: which step is next, and,
 * where that is to ask the handler what has to be signed, what its answer leads to.
 */

/** What an endpoint makes of a signature; the last three take the signed retry and differ where it has no `Request-Id`. */
export const TAKES = ['nothing', 'both', 'ignoresSignatureAlone', 'executesBySignatureAlone'] as const
export type Takes = (typeof TAKES)[number]

/** A proof is in the body and answers its request by itself: a signature beside it is not looked at. */
export const BROUGHT = [
  'nothing',
  'requestId',
  'signature',
  'signatureAndRequestId',
  'proof',
  'proofAndRequestId',
] as const
export type Brought = (typeof BROUGHT)[number]

/** The handler is asked what has to be signed: for a call without a signature, or for one whose signature names no request. */
export type Question = 'ask' | 'askForSignature'

export type Refusal = 'REQUEST_ID_MISSING' | 'WALLET_SIGNATURE_MISSING'

/** What is done next with a call. */
export type Step = 'run' | 'approveBySignature' | 'approveByProof' | Question | Refusal

export const STEPS = {
  nothing: {
    nothing: 'run',
    both: 'ask',
    ignoresSignatureAlone: 'ask',
    executesBySignatureAlone: 'ask',
  },
  requestId: {
    nothing: 'run',
    both: 'WALLET_SIGNATURE_MISSING',
    ignoresSignatureAlone: 'WALLET_SIGNATURE_MISSING',
    executesBySignatureAlone: 'WALLET_SIGNATURE_MISSING',
  },
  signature: {
    nothing: 'run',
    both: 'REQUEST_ID_MISSING',
    ignoresSignatureAlone: 'ask',
    executesBySignatureAlone: 'askForSignature',
  },
  signatureAndRequestId: {
    nothing: 'run',
    both: 'approveBySignature',
    ignoresSignatureAlone: 'approveBySignature',
    executesBySignatureAlone: 'approveBySignature',
  },
  proof: {
    nothing: 'run',
    both: 'REQUEST_ID_MISSING',
    ignoresSignatureAlone: 'REQUEST_ID_MISSING',
    executesBySignatureAlone: 'REQUEST_ID_MISSING',
  },
  proofAndRequestId: {
    nothing: 'run',
    both: 'approveByProof',
    ignoresSignatureAlone: 'approveByProof',
    executesBySignatureAlone: 'approveByProof',
  },
} as const satisfies Record<Brought, Record<Takes, Step>>

/** What the handler says has to be signed: nothing, a payload that is new, or that of a request which the client has seen. */
export const TO_BE_SIGNED = ['nothing', 'newPayload', 'issuedRequest'] as const
export type ToBeSigned = (typeof TO_BE_SIGNED)[number]

/** `challenge`: 202. `approveIssued`: the signature is held against that request. `fault`: the handler is wrong. */
export type StepAfterQuestion = 'run' | 'challenge' | 'approveIssued' | 'fault'

export const STEPS_AFTER_QUESTION = {
  nothing: { ask: 'run', askForSignature: 'run' },
  // A signature alone cannot be over a payload that is made now.
  newPayload: { ask: 'challenge', askForSignature: 'fault' },
  issuedRequest: { ask: 'challenge', askForSignature: 'approveIssued' },
} as const satisfies Record<ToBeSigned, Record<Question, StepAfterQuestion>>

export function takesOf({ signed, signatureAlone }: Pick<Endpoint, 'signed' | 'signatureAlone'>): Takes {
  if (!signed) return 'nothing'
  if (signatureAlone === 'executes') return 'executesBySignatureAlone'
  return signatureAlone === 'ignored' ? 'ignoresSignatureAlone' : 'both'
}

export function broughtBy(has: { proof: boolean; signature: boolean; requestId: boolean }): Brought {
  if (has.proof) return has.requestId ? 'proofAndRequestId' : 'proof'
  if (has.signature) return has.requestId ? 'signatureAndRequestId' : 'signature'
  return has.requestId ? 'requestId' : 'nothing'
}

export function toBeSignedOf(authorization: object | null): ToBeSigned {
  if (authorization === null) return 'nothing'
  return 'requestId' in authorization ? 'issuedRequest' : 'newPayload'
}
