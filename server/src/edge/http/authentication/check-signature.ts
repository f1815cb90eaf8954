import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { Op } from '../../../kernel/operation/app.ts'
import {
  ApiError,
  type Approval,
  type Input,
  type SignedCall,
  type SignedHandler,
  type ToSign,
} from '../../../kernel/operation/operation.ts'
import { approve, approveByProof, issueChallenge } from '../../../people/sign-in/signed-retry.ts'
import type { Write } from '../../../storage/commit/writes.ts'
import type { Call } from '../request/call.ts'
import {
  classifyAuthorization,
  classifyPresented,
  type Question,
  type Refusal,
  type SignaturePolicy,
  STEPS,
  STEPS_AFTER_QUESTION,
} from './signature-steps.ts'

/** The result of the check: a challenge, or permission to run the call, possibly with an approval. */
export interface Gate {
  readonly approval?: Approval
  readonly challenge?: { readonly challenge: object; readonly writes: readonly Write[] }
}

const OPEN: Gate = {}

const REASONS: Readonly<Record<Refusal, string>> = {
  REQUEST_ID_MISSING: 'Missing Request-Id',
  WALLET_SIGNATURE_MISSING: 'Missing wallet signature',
}

/**
 * Checks the signature of a call according to the tables in `signature-steps.ts`. Throws the refusals listed
 * there, and the errors of `signing.ts`.
 */
export async function checkCallSignature(
  op: Op,
  takes: SignaturePolicy,
  handler: SignedHandler<Endpoint>,
  input: Input<Endpoint>,
  { signature, requestId }: Call,
  signedCall: SignedCall,
): Promise<Gate> {
  const prove = await handler.prove?.(op, input)
  const presented = classifyPresented({
    proof: prove !== undefined,
    signature: signature !== undefined,
    requestId: requestId !== undefined,
  })
  const step = STEPS[presented][takes]
  switch (step) {
    case 'run':
      return OPEN
    case 'ask':
    case 'askForSignature': {
      const authorization = await handler.toSign(op, input, step === 'askForSignature')
      return afterQuestion(op, step, authorization, signature, signedCall)
    }
    case 'approveBySignature':
      return { approval: await approve(op, signedCall, assertPresent(requestId), assertPresent(signature)) }
    case 'approveByProof':
      return {
        approval: await approveByProof(op, signedCall, assertPresent(requestId), assertPresent(prove)),
      }
    default:
      throw new ApiError(step, { reason: REASONS[step] })
  }
}

async function afterQuestion(
  op: Op,
  question: Question,
  authorization: ToSign | null,
  signature: string | undefined,
  signedCall: SignedCall,
): Promise<Gate> {
  const step = STEPS_AFTER_QUESTION[classifyAuthorization(authorization)][question]
  switch (step) {
    case 'run':
      return OPEN
    case 'challenge':
      return { challenge: await issueChallenge(op, signedCall, assertPresent(authorization)) }
    case 'approveIssued':
      return {
        approval: await approve(op, signedCall, getRequestId(authorization), assertPresent(signature)),
      }
    case 'fault':
      throw new Error('a signature without a request id cannot cover a new payload')
  }
}

function getRequestId(authorization: ToSign | null): string {
  return assertPresent(authorization && 'requestId' in authorization ? authorization.requestId : undefined)
}

/** Asserts that a value is present, as the tables guarantee. */
function assertPresent<T>(value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new Error('the signature check lacks a value that its tables guarantee')
  return value
}
