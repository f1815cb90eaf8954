import { decode } from '@countersign/contract/core/decode'
import { SignedChainTransfers, type SignedOperation } from '@countersign/contract/signing/payloads'
import { Value } from 'typebox/value'
import { computeAuthorizationDigest, domainSeparator } from '../../base/crypto/evm/authorization.ts'
import { deriveEvmAddress, signEvmDigest } from '../../base/crypto/evm/keys.ts'
import { parseStamp, verifyStamp } from '../../base/crypto/stamp.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toLowerHex } from '../../base/formats/hex.ts'
import { parseJsonObject } from '../../base/json/json.ts'
import type { StampedPayload } from '../ports/enclave.ts'

const MS = 1000
const PAYMENT_OPERATION: SignedOperation = 'quote_execute'

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
  const { operation, account, chain: namedChain } = parseJsonObject(payload)
  // Devices show transfers to the holder only for this operation.
  if (operation !== PAYMENT_OPERATION)
    throw new Error('The payload is for an operation that makes no payment')
  if (account !== accountId) throw new Error(`The payload is not for ${accountId}`)
  // The schema check requires integers to be numbers.
  if (!Value.Check(SignedChainTransfers, JSON.parse(payload).chain))
    throw new Error('The payload names no transfers')
  const chain = decode(SignedChainTransfers, namedChain)
  const from = deriveEvmAddress(key)
  if (chain.from.toLowerCase() !== from) throw new Error('The payload is for another address')
  const { name, version, address } = chain.token
  const separator = domainSeparator({
    name,
    version,
    chainId: chain.chainId,
    verifyingContract: toLowerHex(address),
  })
  const validBefore = BigInt(Math.floor(Date.parse(chain.validBefore) / MS))
  return chain.transfers.map(({ to, amount, nonce }) =>
    signEvmDigest(
      computeAuthorizationDigest(separator, {
        from,
        to: toLowerHex(to),
        value: amount,
        validBefore,
        nonce: toLowerHex(nonce),
      }),
      key,
    ),
  )
}
