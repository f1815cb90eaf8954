import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto'

/** P-256 verifications with node:crypto per second, on one core, with the key imported once. */
export function verificationsPerSecond(seconds: number): number {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key: KeyObject = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
  const message = randomBytes(400)
  const signature = sign('sha256', message, privateKey)
  const begun = performance.now()
  const end = begun + seconds * 1000
  let done = 0
  while (performance.now() < end) {
    for (let n = 0; n < 50; n++) if (!verify('sha256', message, key, signature)) throw new Error('Not valid')
    done += 50
  }
  return (done * 1000) / (performance.now() - begun)
}
