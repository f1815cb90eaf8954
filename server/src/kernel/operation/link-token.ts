import { isSameSecret } from '../../base/crypto/constant-time.ts'
import type { Enclave, OperationEnclave } from '../ports/enclave.ts'

/**
 * The secret part of a link: `<UUID of its record>.<generation of the key>.<keyed digest of the record's
 * content>`.
 */

type Purpose = 'documentLink' | 'kycLink'

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9][0-9]{0,8})\.[\w-]{43}$/

/** The token of a record. `said` is the part of its content that must not change. */
export function linkToken(
  enclave: OperationEnclave,
  purpose: Purpose,
  uuid: string,
  said: readonly (string | number)[],
): string {
  return tokenOf(enclave, purpose, uuid, said, enclave.keyGeneration)
}

function tokenOf(
  enclave: Pick<Enclave, 'mac'>,
  purpose: Purpose,
  uuid: string,
  said: readonly (string | number)[],
  generation: number,
): string {
  const mac = Buffer.from(enclave.mac(purpose, said.join('\n'), generation)).toString('base64url')
  return `${uuid}.${generation}.${mac}`
}

/**
 * The UUID that a token names, and a check of the token against the record's content; undefined if the token
 * is malformed.
 */
export function readLinkToken(enclave: Pick<Enclave, 'mac' | 'dataKeys'>, purpose: Purpose, token: string) {
  const [, uuid, digits] = TOKEN.exec(token) ?? []
  const generation = Number(digits)
  if (uuid === undefined || generation > enclave.dataKeys) return undefined
  return {
    uuid,
    isFor: (said: readonly (string | number)[]) =>
      isSameSecret(token, tokenOf(enclave, purpose, uuid, said, generation)),
  }
}
