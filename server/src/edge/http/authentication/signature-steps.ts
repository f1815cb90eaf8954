import type { Endpoint } from '@countersign/contract/core/endpoint'

/**
 * The signature check (specification 3.4) as two tables. The first maps the presented proofs and the
 * endpoint's policy to the next step. If that step asks the handler for the data to sign, the second gives
 * the step after it.
 */

/**
 * Signature policies of an endpoint. The last three accept the signed retry and differ in the handling of a
 * missing `Request-Id`.
 */
export const SIGNATURE_POLICIES = [
  'nothing',
  'both',
  'ignoresSignatureAlone',
  'executesBySignatureAlone',
] as const
export type SignaturePolicy = (typeof SIGNATURE_POLICIES)[number]

/** The proofs that a call presents. A proof in the body suffices; an additional signature is ignored. */
export const PRESENTED = [
  'nothing',
  'requestId',
  'signature',
  'signatureAndRequestId',
  'proof',
  'proofAndRequestId',
] as const
export type PresentedProofs = (typeof PRESENTED)[number]

/**
 * A question to the handler for the data to sign: for a call without a signature, or with one that names no
 * request.
 */
export type Question = 'ask' | 'askForSignature'

export type Refusal = 'REQUEST_ID_MISSING' | 'WALLET_SIGNATURE_MISSING'

/** The next step for a call. */
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
} as const satisfies Record<PresentedProofs, Record<SignaturePolicy, Step>>

/** The handler's result: nothing to sign, a new payload, or the payload of an issued request. */
export const TO_BE_SIGNED = ['nothing', 'newPayload', 'issuedRequest'] as const
export type ToBeSigned = (typeof TO_BE_SIGNED)[number]

/**
 * `challenge`: respond with 202. `approveIssued`: check the signature against that request. `fault`: the
 * handler has a bug.
 */
export type StepAfterQuestion = 'run' | 'challenge' | 'approveIssued' | 'fault'

export const STEPS_AFTER_QUESTION = {
  nothing: { ask: 'run', askForSignature: 'run' },
  // A signature cannot cover a payload that has just been created.
  newPayload: { ask: 'challenge', askForSignature: 'fault' },
  issuedRequest: { ask: 'challenge', askForSignature: 'approveIssued' },
} as const satisfies Record<ToBeSigned, Record<Question, StepAfterQuestion>>

export function findSignaturePolicy({
  signed,
  signatureAlone,
}: Pick<Endpoint, 'signed' | 'signatureAlone'>): SignaturePolicy {
  if (!signed) return 'nothing'
  if (signatureAlone === 'executes') return 'executesBySignatureAlone'
  return signatureAlone === 'ignored' ? 'ignoresSignatureAlone' : 'both'
}

export function classifyPresented(presented: {
  proof: boolean
  signature: boolean
  requestId: boolean
}): PresentedProofs {
  if (presented.proof) return presented.requestId ? 'proofAndRequestId' : 'proof'
  if (presented.signature) return presented.requestId ? 'signatureAndRequestId' : 'signature'
  return presented.requestId ? 'requestId' : 'nothing'
}

export function classifyAuthorization(authorization: object | null): ToBeSigned {
  if (authorization === null) return 'nothing'
  return 'requestId' in authorization ? 'issuedRequest' : 'newPayload'
}
