/**
 * Patterns of secrets: the fixed prefixes of stamps, sealed codes, Basic headers and agent tokens, and the
 * format of a device code.
 */
export const SECRET_PATTERNS = [
  /eyJwdWJsaWNLZXki/,
  /encappedPublic/,
  /\bBasic [A-Za-z0-9+/]{8}/,
  /\bcsa_[A-Za-z0-9_-]{43}/,
  /\b[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}\b/,
  /clientSecret/i,
  /\bmnemonic\b/,
]

/**
 * Throws if a log contains one of the secrets, or something that looks like one. The error shows the
 * beginning of the line.
 */
export function refuseSecrets(log: string, secrets: readonly string[]): void {
  const positions = [indexOfAny(log, secrets), ...SECRET_PATTERNS.map((shape) => log.search(shape))]
  const at = positions.find((position) => position >= 0)
  if (at === undefined) return
  const start = log.lastIndexOf('\n', at) + 1
  throw new Error(`The server logged a secret: ${log.slice(start, start + 400).split('\n')[0]}`)
}

/** The size of the hash table, a power of two. */
const HASH_COUNT = 1 << 20

/**
 * The position of the first occurrence of any of thousands of words in a text of many megabytes, or -1. Words
 * must have at least four characters. Makes a single pass, because one search per word takes half a minute.
 */
export function indexOfAny(text: string, words: readonly string[]): number {
  const byBeginning = new Map<string, string[]>()
  const isBeginning = new Uint8Array(HASH_COUNT)
  for (const word of words) {
    if (word.length < 4) throw new Error('A word is too short')
    const beginning = word.slice(0, 4)
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), word])
    isBeginning[hashAt(word, 0)] = 1
  }
  for (let at = 0; at + 4 <= text.length; at++) {
    if (!isBeginning[hashAt(text, at)]) continue
    const candidates = byBeginning.get(text.slice(at, at + 4)) ?? []
    if (candidates.some((word) => text.startsWith(word, at))) return at
  }
  return -1
}

/** A hash of four characters. Secrets are ASCII; other characters only lead to more candidates. */
function hashAt(text: string, at: number): number {
  const code =
    (text.charCodeAt(at) << 24) ^
    (text.charCodeAt(at + 1) << 16) ^
    (text.charCodeAt(at + 2) << 8) ^
    text.charCodeAt(at + 3)
  return (Math.imul(code, 0x9e3779b1) >>> 12) & (HASH_COUNT - 1)
}
