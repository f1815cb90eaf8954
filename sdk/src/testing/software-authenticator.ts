import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import {
  type Bytes,
  base64urlFromBytes,
  bytesFromHex,
  bytesFromText,
  concatBytes,
  sha256,
} from '../crypto/bytes.ts'
import { exportPublicKey, generateSigningKeyPair, sign } from '../crypto/p256.ts'
import type { PasskeyAuthenticator } from '../wallet/passkey-authenticator.ts'

const FLAG_USER_PRESENT = 0x01
const FLAG_USER_VERIFIED = 0x04
const FLAG_ATTESTED = 0x40
const AAGUID = new Uint8Array(16)
const ID_BYTES = 16

/** The CBOR of a COSE key (EC2, ES256, P-256) up to the X coordinate. */
const COSE_START = bytesFromHex('a5010203262001215820')!
const COSE_Y = bytesFromHex('225820')!
/**
 * The CBOR of `{fmt: "none", attStmt: {}, authData: …}` up to the length of `authData`, which is one byte.
 */
const ATTESTATION_START = bytesFromHex('a363666d74646e6f6e656761747453746d74a068617574684461746158')!

interface Passkey {
  readonly keyPair: CryptoKeyPair
  readonly rpId: string
  readonly userHandle: string
  counter: number
}

/**
 * Passkeys in memory, for programs without a browser, such as your app's tests in CI against the sandbox.
 * Behaves like a browser whose user agrees immediately: ES256, attestation `none`, user verified. Not for
 * real customers: the keys are unprotected and are lost when the process exits.
 */
export class SoftwareAuthenticator implements PasskeyAuthenticator {
  readonly #origin: string
  readonly #passkeys = new Map<string, Passkey>()

  /**
   * `origin` is the simulated page, such as `http://localhost:3000`. It must be one of the platform's
   * origins.
   */
  constructor(options: { readonly origin: string }) {
    this.#origin = options.origin
  }

  async create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON> {
    if (options.excludeCredentials?.some(({ id }) => this.#passkeys.has(id)))
      throw new DOMException('A passkey of this authenticator is already registered.', 'InvalidStateError')
    const rpId = options.rp.id ?? new URL(this.#origin).hostname
    const keyPair = await generateSigningKeyPair()
    const idBytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
    const id = base64urlFromBytes(idBytes)
    const passkey: Passkey = { keyPair, rpId, userHandle: options.user.id, counter: 0 }
    this.#passkeys.set(id, passkey)
    const point = await exportPublicKey(keyPair)
    const cose = concatBytes(COSE_START, point.subarray(1, 33), COSE_Y, point.subarray(33))
    const flags = FLAG_USER_PRESENT | FLAG_USER_VERIFIED | FLAG_ATTESTED
    const authData = concatBytes(
      await authenticatorData(passkey, flags),
      AAGUID,
      Uint8Array.of(0, ID_BYTES),
      idBytes,
      cose,
    )
    const attestation = concatBytes(ATTESTATION_START, Uint8Array.of(authData.length), authData)
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64urlFromBytes(this.#clientData('webauthn.create', options.challenge)),
        attestationObject: base64urlFromBytes(attestation),
        transports: ['internal'],
      },
    }
  }

  async get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON> {
    const rpId = options.rpId ?? new URL(this.#origin).hostname
    const allowed = options.allowCredentials?.map(({ id }) => id) ?? [...this.#passkeys.keys()]
    const id = allowed.find((id) => this.#passkeys.get(id)?.rpId === rpId)
    if (id === undefined)
      throw new DOMException('No passkey for this domain is on this authenticator.', 'NotAllowedError')
    const passkey = this.#passkeys.get(id)!
    passkey.counter++
    const authData = await authenticatorData(passkey, FLAG_USER_PRESENT | FLAG_USER_VERIFIED)
    const clientData = this.#clientData('webauthn.get', options.challenge)
    const signature = await sign(passkey.keyPair.privateKey, concatBytes(authData, await sha256(clientData)))
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64urlFromBytes(clientData),
        authenticatorData: base64urlFromBytes(authData),
        signature: base64urlFromBytes(signature),
        userHandle: passkey.userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string): Bytes {
    return bytesFromText(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }))
  }
}

/** Hash of the domain, flags, and signature counter (WebAuthn 6.1). */
async function authenticatorData({ rpId, counter }: Passkey, flags: number): Promise<Bytes> {
  const tail = new DataView(new ArrayBuffer(5))
  tail.setUint8(0, flags)
  tail.setUint32(1, counter)
  return concatBytes(await sha256(bytesFromText(rpId)), new Uint8Array(tail.buffer))
}
