import type { Answer, AnyCaller, AnyInput, Caller, Input, SignedName } from '../client/calls.ts'
import { newIdempotencyKey } from '../client/idempotency-key.ts'
import { CheckedPayload } from './checked-payload.ts'
import { isSignedName, signedCall } from './signed-call.ts'
import type { Signer } from './signer.ts'

/** The final response of a signed operation, which is never the 202. */
export type SignedAnswer<N extends SignedName> = Exclude<Answer<N>, { status: 202 }>

/**
 * Performs a signed operation (specification 3.4). Sends the call, and after a 202 checks the payload, has it
 * signed, and sends the call again with the same `Idempotency-Key`; if no signature is needed, the first call
 * already completes the operation.
 *
 * Rejects with PayloadMismatchError if the payload does not match the call, with CountersignError like
 * `call`, and with the signer's errors: a session needs the customer to confirm a payment (`Confirm`).
 */
export async function signed<N extends SignedName>(
  caller: Caller,
  name: N,
  input: Input<N>,
  signer: Signer,
): Promise<SignedAnswer<N>> {
  return (await callSignedByName(caller, name, input, signer)) as SignedAnswer<N>
}

/**
 * `signed` without static types, for helpers that look up the name in a table. Throws TypeError if the call
 * takes no signature.
 */
export async function callSignedByName(
  caller: AnyCaller,
  name: string,
  input: AnyInput,
  signer: Signer,
): Promise<{ readonly status: number; readonly body: unknown }> {
  if (!isSignedName(name)) throw new TypeError(`${name} does not take a signature.`)
  // Both calls use the same key. It is ignored if the endpoint takes no key.
  const idempotencyKey = input.idempotencyKey ?? newIdempotencyKey()
  const firstResponse = await caller.call(name, { ...input, idempotencyKey })
  if (!isChallenge(firstResponse)) return firstResponse
  const { payloadToSign, requestId, expiresAt } = firstResponse.body
  const expected = { ...signedCall(name, input), account: signer.accountId, requestId, expiresAt }
  const signature = await signer.sign(await CheckedPayload.check(payloadToSign, expected))
  return caller.call(name, { ...input, idempotencyKey, signature, requestId })
}

interface Challenge {
  readonly status: 202
  readonly body: { readonly payloadToSign: string; readonly requestId: string; readonly expiresAt: string }
}

/** True if the response asks for a signature. */
export function isChallenge(response: { status: number; body: unknown }): response is Challenge {
  return response.status === 202
}
