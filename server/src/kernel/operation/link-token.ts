import { isSameSecret } from '../../base/crypto/constant-time.ts'
import type { Enclave, OperationEnclave } from '../ports/enclave.ts'

/**
 * The secret part of a link: `<UUID of its record>.<key generation>.<keyed digest of the record's content>`.
 */

type Purpose = 'documentLink' | 'kycLink'

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9][0-9]{0,8})\.[\w-]{43}$/

/** Creates the token of a record. `content` is the part of the record that must not change. */
export function createLinkToken(
  enclave: OperationEnclave,
  purpose: Purpose,
  uuid: string,
  content: readonly (string | number)[],
): string {
  return computeToken(enclave, purpose, uuid, content, enclave.keyGeneration)
}

function computeToken(
  enclave: Pick<Enclave, 'mac'>,
  purpose: Purpose,
  uuid: string,
  content: readonly (string | number)[],
  generation: number,
): string {
  const mac = Buffer.from(enclave.mac(purpose, content.join('\n'), generation)).toString('base64url')
  return `${uuid}.${generation}.${mac}`
}

/**
 * Reads the UUID of the record from a token. `matches` checks the token against the record's content.
 * Undefined if the token is malformed.
 */
export function readLinkToken(enclave: Pick<Enclave, 'mac' | 'dataKeys'>, purpose: Purpose, token: string) {
  const [, uuid, digits] = TOKEN.exec(token) ?? []
  const generation = Number(digits)
  if (uuid === undefined || generation > enclave.dataKeys) return undefined
  return {
    uuid,
    matches: (content: readonly (string | number)[]) =>
      isSameSecret(token, computeToken(enclave, purpose, uuid, content, generation)),
  }
}
