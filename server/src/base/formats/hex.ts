/** `0x` followed by hexadecimal digits, in lower case unless stated otherwise. */
export type Hex = `0x${string}`

/** Encodes bytes as `0x` and lower-case hexadecimal digits. */
export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** Converts `0x` hex to lower case. A string without `0x` becomes `0x?`, which equals no address. */
export function toLowerHex(text: string): Hex {
  const lower = text.toLowerCase()
  return isHex(lower) ? lower : '0x?'
}

function isHex(text: string): text is Hex {
  return text.startsWith('0x')
}

export function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}
