/** `0x` and hexadecimal digits, in lower case where nothing else is said. */
export type Hex = `0x${string}`

/** Bytes as `0x` and lower-case hexadecimal digits. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** `0x` and hexadecimal digits in any case, as lower case. Text without `0x` becomes `0x?`, which equals no address. */
export function lowerHex(text: string): Hex {
  const lower = text.toLowerCase()
  return isHex(lower) ? lower : '0x?'
}

function isHex(text: string): text is Hex {
  return text.startsWith('0x')
}

/** The bytes of `0x` and hexadecimal digits. */
export function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
