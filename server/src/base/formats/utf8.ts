const FIRST_OF_TWO = 0xc2
const FIRST_OF_THREE = 0xe0
const FIRST_OF_FOUR = 0xf0
const LAST_OF_FOUR = 0xf4
const FIRST_CONTINUING = 0x80
const LAST_CONTINUING = 0xbf

/** The range of the second byte after these first bytes, which excludes overlong forms and surrogates. */
const SECOND: Readonly<Record<number, readonly [first: number, last: number]>> = {
  224: [0xa0, LAST_CONTINUING],
  237: [FIRST_CONTINUING, 0x9f],
  240: [0x90, LAST_CONTINUING],
  244: [FIRST_CONTINUING, 0x8f],
}

/** Validates UTF-8 byte by byte (RFC 3629). */
export class Utf8Check {
  /** The number of bytes that the current character still needs, and the range of the next one. */
  #left = 0
  #first = FIRST_CONTINUING
  #last = LAST_CONTINUING

  /** True if there is no incomplete character. */
  get isComplete(): boolean {
    return this.#left === 0
  }

  /** True if the text may continue with this byte. */
  takes(byte: number): boolean {
    if (this.#left > 0) {
      if (byte < this.#first || byte > this.#last) return false
      this.#left -= 1
      this.#first = FIRST_CONTINUING
      this.#last = LAST_CONTINUING
      return true
    }
    if (byte < FIRST_CONTINUING) return true
    if (byte < FIRST_OF_TWO || byte > LAST_OF_FOUR) return false
    this.#left = byte < FIRST_OF_THREE ? 1 : byte < FIRST_OF_FOUR ? 2 : 3
    const [first, last] = SECOND[byte] ?? [FIRST_CONTINUING, LAST_CONTINUING]
    this.#first = first
    this.#last = last
    return true
  }
}
