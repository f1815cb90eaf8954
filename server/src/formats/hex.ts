/** `0x` and hexadecimal digits, in lower case where nothing else is said. */
export type Hex = `0x${string}`

/** Bytes as `0x` and lower-case hexadecimal digits. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** The bytes of `0x` and hexadecimal digits. */
export function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
