import { sealSessionKey } from '@countersign/server/crypto/otp/bundle'
import { generateKeyPair } from '@countersign/server/crypto/p256'

/** Session keys made and sealed to a device's key per second, on one core. A sign-in does it once. */
export function sessionKeysPerSecond(seconds: number): number {
  const { publicKey } = generateKeyPair()
  const begun = performance.now()
  const end = begun + seconds * 1000
  let done = 0
  while (performance.now() < end) {
    for (let n = 0; n < 10; n++) sealSessionKey(generateKeyPair().privateKey, publicKey.uncompressedHex)
    done += 10
  }
  return (done * 1000) / (performance.now() - begun)
}
