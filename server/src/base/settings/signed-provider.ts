import { secretOfText } from '../crypto/standard-webhooks.ts'

/** A service of the operator's own, whose calls are signed by Standard Webhooks. */
export interface SignedProvider {
  readonly url: string
  /** The present secret first, and one that is being replaced. */
  readonly secrets: readonly Uint8Array[]
}

/**
 * Reads the settings `<name>_URL` and `<name>_SECRET`; undefined where neither is set. `problem` is a whole sentence, and
 * repeats no secret.
 */
export function parseSignedProvider(
  name: 'SCREENING' | 'VERIFICATION',
  url: string | undefined,
  secrets: string | undefined,
  isSafe: (url: string) => boolean,
): SignedProvider | undefined | { readonly problem: string } {
  if (!url && !secrets) return undefined
  if (!url) return { problem: `${name}_URL is missing: it belongs to ${name}_SECRET` }
  if (!secrets) return { problem: `${name}_SECRET is missing: it belongs to ${name}_URL` }
  if (!isSafe(url))
    return {
      problem: `${name}_URL must begin with https:// (http:// for this machine alone) and have no user, password or fragment`,
    }
  const read = secrets.split(',').map((secret) => secretOfText(secret.trim()))
  const known = read.filter((secret) => secret !== undefined)
  if (known.length < read.length || known.length > 2)
    return {
      problem: `${name}_SECRET must be one or two secrets like whsec_… with 24 to 64 bytes in base64, separated by a comma`,
    }
  return { url: new URL(url).href, secrets: known }
}
