import { decode } from '@countersign/contract/core/decode'
import { SignedChainTransfers, type SignedOperation } from '@countersign/contract/signing/payloads'
import { Value } from 'typebox/value'
import { authorizationDigest, domainSeparator } from '../../base/crypto/evm/authorization.ts'
import { evmAddressOf, evmSignature } from '../../base/crypto/evm/keys.ts'
import { parseStamp, verifyStamp } from '../../base/crypto/stamp.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { lowerHex } from '../../base/formats/hex.ts'
import { parseJsonObject } from '../../base/json/json.ts'
import type { StampedPayload } from '../ports/enclave.ts'

const MS = 1000
const PAYS: SignedOperation = 'quote_execute'

/**
 * Signs the transfers in a signed payload with the wallet's key. Throws if the signature has another key or
 * covers other characters, or if the payload is for another operation, account or address.
 */
export function signStampedTransfers(
  accountId: string,
  key: Uint8Array,
  { payload, stamp, sessionPublicKey }: StampedPayload,
): Hex[] {
  const parsed = parseStamp(stamp)
  if (parsed?.publicKey !== sessionPublicKey || !verifyStamp(parsed, payload))
    throw new Error('The payload was not stamped by its session')
  const { operation, account, chain: named } = parseJsonObject(payload)
  // Devices show transfers to the holder only for this operation.
  if (operation !== PAYS) throw new Error('The payload is for an operation that makes no payment')
  if (account !== accountId) throw new Error(`The payload is not for ${accountId}`)
  // The schema check requires integers to be numbers.
  if (!Value.Check(SignedChainTransfers, JSON.parse(payload).chain))
    throw new Error('The payload names no transfers')
  const chain = decode(SignedChainTransfers, named)
  const from = evmAddressOf(key)
  if (chain.from.toLowerCase() !== from) throw new Error('The payload is for another address')
  const { name, version, address } = chain.token
  const separator = domainSeparator({
    name,
    version,
    chainId: chain.chainId,
    verifyingContract: lowerHex(address),
  })
  const validBefore = BigInt(Math.floor(Date.parse(chain.validBefore) / MS))
  return chain.transfers.map(({ to, amount, nonce }) =>
    evmSignature(
      authorizationDigest(separator, {
        from,
        to: lowerHex(to),
        value: amount,
        validBefore,
        nonce: lowerHex(nonce),
      }),
      key,
    ),
  )
}
