import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesOf, type Hex, hexOf } from '../../formats/hex.ts'

/**
 * A token transfer that the holder signs and that anyone may submit to the chain (EIP-3009). The chain
 * accepts each nonce once, so of several transfers with the same nonce at most one takes effect.
 */
export interface Authorization {
  readonly from: Hex
  readonly to: Hex
  /** In the smallest unit of the token. */
  readonly value: bigint
  /** In Unix seconds. The chain accepts the transfer only before this time. */
  readonly validBefore: bigint
  /** 32 bytes. */
  readonly nonce: Hex
}

const WORD_BYTES = 32
const TYPE_HASH = keccak_256(
  Buffer.from(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
)

/** The EIP-712 domain, which limits a signature to one contract. */
export interface TokenDomain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Hex
}

const DOMAIN_TYPE_HASH = keccak_256(
  Buffer.from('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
)

/** The hash of a domain, as returned by `DOMAIN_SEPARATOR` of the token. */
export function domainSeparator({ name, version, chainId, verifyingContract }: TokenDomain): Hex {
  return hexOf(
    keccak_256(
      Buffer.concat([
        DOMAIN_TYPE_HASH,
        keccak_256(Buffer.from(name)),
        keccak_256(Buffer.from(version)),
        encodeNumber(BigInt(chainId)),
        toWord(bytesOf(verifyingContract)),
      ]),
    ),
  )
}

/** The EIP-712 digest to sign, in the domain of the token's contract. `validAfter` is 0. */
export function computeAuthorizationDigest(domainSeparator: Hex, authorization: Authorization): Uint8Array {
  const struct = keccak_256(
    Buffer.concat([
      TYPE_HASH,
      toWord(bytesOf(authorization.from)),
      toWord(bytesOf(authorization.to)),
      encodeNumber(authorization.value),
      encodeNumber(0n),
      encodeNumber(authorization.validBefore),
      toWord(bytesOf(authorization.nonce)),
    ]),
  )
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), bytesOf(domainSeparator), struct]))
}

/** The purpose of an authorization: the payment itself, or the fee for a wallet's payment. */
export type AuthorizedPart = 'payment' | 'fee'

/**
 * The nonce of an authorization. It is derived from the payment, so a second authorization for it can never
 * take effect.
 */
export function deriveAuthorizationNonce(part: AuthorizedPart, paymentId: string): Hex {
  return `0x${createHash('sha256').update(`countersign ${part} ${paymentId}`).digest('hex')}`
}

function toWord(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.alloc(WORD_BYTES - bytes.length), bytes])
}

function encodeNumber(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex')
}
