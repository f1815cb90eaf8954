import type { Answer, AnyCaller, AnyInput, Caller, Input, SignedName } from '../client/calls.ts'
import { newIdempotencyKey } from '../client/idempotency-key.ts'
import { CheckedPayload } from './checked-payload.ts'
import { isSignedName, signedCall } from './signed-call.ts'
import type { Signer } from './signer.ts'

/** The final response of a signed operation: not the 202. */
export type SignedAnswer<N extends SignedName> = Exclude<Answer<N>, { status: 202 }>

/**
 * A signed operation in one call (specification 3.4): sends it; for a 202, checks the payload against the
 * call, has it signed, and sends the same input again with the same `Idempotency-Key`. An operation that
 * needs no signature completes immediately.
 *
 * Rejects with PayloadMismatchError if the payload does not match this call, with CountersignError like
 * `call`, and like the signer: a session requires a payment to be confirmed (`Confirm`).
 */
export async function signed<N extends SignedName>(
  caller: Caller,
  name: N,
  input: Input<N>,
  signer: Signer,
): Promise<SignedAnswer<N>> {
  return (await signedByName(caller, name, input, signer)) as SignedAnswer<N>
}

/**
 * `signed` for helpers that read the name from a table. Throws TypeError for a call that needs no signature.
 */
export async function signedByName(
  caller: AnyCaller,
  name: string,
  input: AnyInput,
  signer: Signer,
): Promise<{ readonly status: number; readonly body: unknown }> {
  if (!isSignedName(name)) throw new TypeError(`${name} takes no signature`)
  // One key for both calls, unless the endpoint takes no key.
  const idempotencyKey = input.idempotencyKey ?? newIdempotencyKey()
  const first = await caller.call(name, { ...input, idempotencyKey })
  if (!isChallenge(first)) return first
  const { payloadToSign, requestId, expiresAt } = first.body
  const expected = { ...signedCall(name, input), account: signer.accountId, requestId, expiresAt }
  const signature = await signer.sign(await CheckedPayload.check(payloadToSign, expected))
  return caller.call(name, { ...input, idempotencyKey, signature, requestId })
}

interface Challenge {
  readonly status: 202
  readonly body: { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string }
}

/** True if a response requests a signature. */
export function isChallenge(answer: { status: number; body: unknown }): answer is Challenge {
  return answer.status === 202
}
