import { secretOfText } from '../crypto/standard-webhooks.ts'

/** A provider that decides about customers. */
export interface VerificationConfig {
  readonly url: string
  /** Sign what goes both ways: the present one first, and one that is being replaced. */
  readonly secrets: readonly Uint8Array[]
}

/**
 * Reads `VERIFICATION_URL` and `VERIFICATION_SECRET`. `problem` is the end of a sentence that begins with the name of the
 * variable, and repeats no secret.
 */
export function parseVerification(
  url: string | undefined,
  secrets: string | undefined,
  isSafe: (url: string) => boolean,
): VerificationConfig | undefined | { readonly problem: string } {
  if (!url && !secrets) return undefined
  if (!url) return { problem: 'VERIFICATION_URL is missing: it belongs to VERIFICATION_SECRET' }
  if (!secrets) return { problem: 'VERIFICATION_SECRET is missing: it belongs to VERIFICATION_URL' }
  if (!isSafe(url))
    return {
      problem:
        'VERIFICATION_URL must begin with https:// (http:// for this machine alone) and have no user, password or fragment',
    }
  const read = secrets.split(',').map((secret) => secretOfText(secret.trim()))
  const known = read.filter((secret) => secret !== undefined)
  if (known.length < read.length || known.length > 2)
    return {
      problem:
        'VERIFICATION_SECRET must be one or two secrets like whsec_… with 24 to 64 bytes in base64, separated by a comma',
    }
  return { url: new URL(url).href, secrets: known }
}
