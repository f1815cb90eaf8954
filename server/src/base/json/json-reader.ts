/** Limits for JSON from outside. */
export interface JsonLimits {
  /** Nesting depth of arrays and objects. */
  readonly depthMax: number
  /** The number of properties and array items in the whole document. */
  readonly valuesMax: number
}

/** The JSON exceeds a limit. */
export class JsonLimitError extends Error {}

const UNLIMITED: JsonLimits = { depthMax: 10_000, valuesMax: Number.POSITIVE_INFINITY }

/** Integers with at most this many digits are below 2^53. */
const SAFE_DIGITS = 15
/** Longer integers exceed the range of a double and become Infinity, as in JSON.parse. */
const INTEGER_CHARACTERS_MAX = 400

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * Parses JSON (RFC 8259) in one pass, so that input beyond a limit costs no more than the part before it.
 * Integers beyond 2^53 become exact `bigint`s, and all other numbers `number`; the last of duplicate
 * properties wins. Throws SyntaxError for invalid JSON and for `__proto__` and `constructor.prototype`
 * properties, and JsonLimitError beyond a limit.
 */
export function readJson(text: string, limits: JsonLimits = UNLIMITED): unknown {
  return new JsonReader(text, limits).read()
}

class JsonReader {
  readonly #text: string
  readonly #depthMax: number
  readonly #valuesMax: number
  #valuesLeft: number
  #at = 0
  #depth = 0

  constructor(text: string, { depthMax, valuesMax }: JsonLimits) {
    this.#text = text
    this.#depthMax = depthMax
    this.#valuesMax = valuesMax
    this.#valuesLeft = valuesMax
  }

  read(): unknown {
    const value = this.#value(this.#peek())
    if (!Number.isNaN(this.#peek())) throw this.#syntaxError()
    return value
  }

  /** The code of the next character that is not white space, without consuming it. NaN at the end. */
  #peek(): number {
    let code = this.#text.charCodeAt(this.#at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
      code = this.#text.charCodeAt(++this.#at)
    return code
  }

  #value(code: number): unknown {
    if (code === QUOTE) return this.#string()
    if (code === OPEN_BRACE) return this.#object()
    if (code === OPEN_BRACKET) return this.#array()
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number()
    if (this.#isWord('true')) return true
    if (this.#isWord('false')) return false
    if (this.#isWord('null')) return null
    throw this.#syntaxError()
  }

  #isWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #object(): object {
    const object: Record<string, unknown> = {}
    this.#open()
    let code = this.#peek()
    if (code !== CLOSE_BRACE) {
      for (;;) {
        if (code !== QUOTE) throw this.#syntaxError()
        const name = this.#string()
        if (this.#peek() !== COLON) throw this.#syntaxError()
        this.#at++
        this.#count()
        const value = this.#value(this.#peek())
        if (name === '__proto__' || (name === 'constructor' && hasPrototype(value)))
          throw new SyntaxError(`The property ${name} is not allowed`)
        object[name] = value
        code = this.#peek()
        if (code === CLOSE_BRACE) break
        if (code !== COMMA) throw this.#syntaxError()
        this.#at++
        code = this.#peek()
      }
    }
    this.#close()
    return object
  }

  #array(): unknown[] {
    const array: unknown[] = []
    this.#open()
    let code = this.#peek()
    if (code !== CLOSE_BRACKET) {
      for (;;) {
        this.#count()
        array.push(this.#value(code))
        code = this.#peek()
        if (code === CLOSE_BRACKET) break
        if (code !== COMMA) throw this.#syntaxError()
        this.#at++
        code = this.#peek()
      }
    }
    this.#close()
    return array
  }

  #open(): void {
    this.#at++
    if (++this.#depth > this.#depthMax) throw new JsonLimitError(`nests deeper than ${this.#depthMax} levels`)
  }

  #close(): void {
    this.#at++
    this.#depth--
  }

  #count(): void {
    if (--this.#valuesLeft < 0)
      throw new JsonLimitError(`has too many properties and array items (${this.#valuesMax} at most)`)
  }

  #string(): string {
    const text = this.#text
    const start = this.#at + 1
    let position = start
    let isEscaped = false
    for (;;) {
      const code = text.charCodeAt(position)
      if (code === QUOTE) break
      if (code === BACKSLASH) {
        isEscaped = true
        position++
      } else if (!(code >= 0x20)) {
        this.#at = position
        throw this.#syntaxError()
      }
      position++
    }
    this.#at = position + 1
    return isEscaped ? String(JSON.parse(text.slice(start - 1, position + 1))) : text.slice(start, position)
  }

  #number(): number | bigint {
    const text = this.#text
    const start = this.#at
    const isNegative = text.charCodeAt(start) === MINUS
    const first = isNegative ? start + 1 : start
    let position = first
    let value = 0
    let code = text.charCodeAt(position)
    while (code >= ZERO && code <= NINE) {
      value = value * 10 + (code - ZERO)
      code = text.charCodeAt(++position)
    }
    const digits = position - first
    this.#at = position
    if (digits === 0 || (digits > 1 && text.charCodeAt(first) === ZERO)) throw this.#syntaxError()
    // The bit 0x20 turns an upper-case letter into lower case.
    if (code === DOT || (code | 0x20) === 0x65) return this.#fraction(start)
    if (digits <= SAFE_DIGITS) return isNegative ? -value : value
    const integer = text.slice(start, position)
    const number = Number(integer)
    return Number.isSafeInteger(number) || digits > INTEGER_CHARACTERS_MAX ? number : BigInt(integer)
  }

  /** Reads a number with a fraction or exponent, after its integer part. */
  #fraction(start: number): number {
    if (this.#text.charCodeAt(this.#at) === DOT) {
      this.#at++
      this.#digits()
    }
    if ((this.#text.charCodeAt(this.#at) | 0x20) === 0x65) {
      const sign = this.#text.charCodeAt(++this.#at)
      if (sign === 0x2b || sign === MINUS) this.#at++
      this.#digits()
    }
    return Number(this.#text.slice(start, this.#at))
  }

  #digits(): void {
    const start = this.#at
    let code = this.#text.charCodeAt(start)
    while (code >= ZERO && code <= NINE) code = this.#text.charCodeAt(++this.#at)
    if (this.#at === start) throw this.#syntaxError()
  }

  #syntaxError(): SyntaxError {
    const place = `at character ${this.#at + 1}`
    const character = this.#text.codePointAt(this.#at)
    if (character === undefined) return new SyntaxError(`unexpected end ${place}`)
    return new SyntaxError(`unexpected ${JSON.stringify(String.fromCodePoint(character))} ${place}`)
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
