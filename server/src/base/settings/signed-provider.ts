import { parseWebhookSecret } from '../crypto/standard-webhooks.ts'

/** A service of the operator whose calls are signed as in Standard Webhooks. */
export interface SignedProvider {
  readonly url: string
  /** The current secret, possibly followed by the one being replaced. */
  readonly secrets: readonly Uint8Array[]
}

/**
 * Reads the settings `<name>_URL` and `<name>_SECRET`. Undefined if neither is set. `problem` is a full
 * sentence without secrets.
 */
export function parseSignedProvider(
  name: 'SCREENING' | 'VERIFICATION',
  url: string | undefined,
  secrets: string | undefined,
  isSafe: (url: string) => boolean,
): SignedProvider | undefined | { readonly problem: string } {
  if (!url && !secrets) return undefined
  if (!url) return { problem: `${name}_URL is missing: ${name}_SECRET requires it.` }
  if (!secrets) return { problem: `${name}_SECRET is missing: ${name}_URL requires it.` }
  if (!isSafe(url))
    return {
      problem: `${name}_URL must begin with https:// (http:// only for this machine) and have no user, password or fragment.`,
    }
  const decoded = secrets.split(',').map((secret) => parseWebhookSecret(secret.trim()))
  const valid = decoded.filter((secret) => secret !== undefined)
  if (valid.length < decoded.length || valid.length > 2)
    return {
      problem: `${name}_SECRET must be one or two secrets like whsec_… with 24 to 64 bytes in base64, separated by a comma.`,
    }
  return { url: new URL(url).href, secrets: valid }
}
