import { jsonFromUtf8 } from '../../base/crypto/encodings.ts'
import { buildStandardHeaders, isStandardSigned } from '../../base/crypto/standard-webhooks.ts'
import { NoResponse } from '../../base/http-client/answer.ts'
import { send } from '../../base/http-client/send.ts'
import { toJson } from '../../base/json/json.ts'
import type { SignedProvider } from '../../base/settings/signed-provider.ts'
import type { VerificationSubmission, Verifier, VerifierResult } from '../../kernel/ports/verifier.ts'

const TIMEOUT_MS = 15_000
const RESPONSE_BYTES_MAX = 256 * 1024

/** The provider did not accept a submission. The message contains only the status or the system's error. */
export class VerifierError extends Error {}

/**
 * A verification provider over HTTP. A submission is one signed POST, whose `webhook-id` is the same for
 * every attempt. The provider returns 200 with an outcome, or 202 and reports the outcome later with a signed
 * POST to `/verification-provider/events`. `check` throws if a response is not an outcome; `clock` is real
 * time.
 */
export function createHttpVerifier(
  { url, secrets }: SignedProvider,
  clock: () => Date,
  check: (response: unknown) => VerifierResult,
): Verifier {
  return {
    async submit(submission) {
      const { status, body, isComplete } = await post(url, secrets, submission, clock())
      if (status === 202) return { decision: 'WAIT' }
      if (status !== 200) throw new VerifierError(`The verification provider returned ${status}`)
      if (!isComplete) throw new VerifierError(`The response has more than ${RESPONSE_BYTES_MAX} bytes`)
      return check(jsonFromUtf8(body) ?? null)
    },
    readEvent(headers, body, now) {
      return isStandardSigned(secrets, headers, body, now) ? (jsonFromUtf8(body) ?? null) : undefined
    },
  }
}

async function post(
  url: string,
  secrets: readonly Uint8Array[],
  submission: VerificationSubmission,
  now: Date,
) {
  const body = Buffer.from(toJson({ type: 'verification.submitted', ...submission }))
  const id = `${submission.verificationId}.${submission.submission}`
  try {
    return await send(
      {
        method: 'POST',
        url,
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'User-Agent': 'Countersign-Verifications/1',
          ...buildStandardHeaders(secrets, id, body, now),
        },
        body,
      },
      {
        timeoutMs: TIMEOUT_MS,
        bytesMax: RESPONSE_BYTES_MAX,
        reach: 'any',
        isRepeatable: true,
      },
    )
  } catch (error) {
    if (error instanceof NoResponse)
      throw new VerifierError(`The verification provider cannot be reached: ${error.code}`)
    throw error
  }
}
