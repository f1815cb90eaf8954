import fc from 'fast-check'

const ZERO_WIDTH = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u180e',
  '\u034f',
  ' ',
  '\t',
  '\u00a0',
]

const toFullWidth = (text: string) =>
  [...text]
    .map((letter) =>
      /[0-9A-Za-z]/.test(letter) ? String.fromCodePoint(letter.codePointAt(0)! + 0xfee0) : letter,
    )
    .join('')

/** An EVM address in a random spelling. */
export const respelled = (digits: string) =>
  fc
    .record({
      prefix: fc.constantFrom(
        '0x',
        '0X',
        '',
        'eip155:1:0x',
        'eip155:8453:0X',
        'eip155:0x',
        'EIP155:1:',
        'eth:0x',
        'base:0x',
        'ethereum:0x',
        'ethereum:pay-0x',
        'ETHEREUM:0x',
      ),
      suffix: fc.constantFrom('', '@1', '?value=1', '@8453/transfer?uint256=1', '#x'),
      upper: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      hidden: fc.array(fc.tuple(fc.nat(80), fc.constantFrom(...ZERO_WIDTH)), { maxLength: 4 }),
      isFull: fc.boolean(),
    })
    .map(({ prefix, suffix, upper, hidden, isFull }) => {
      const cased = [...digits]
        .map((digit, at) => (upper[at] ? digit.toUpperCase() : digit.toLowerCase()))
        .join('')
      const plain = `${prefix}${isFull ? toFullWidth(cased) : cased}${prefix.includes(':') ? suffix : ''}`
      return hidden.reduce((text, [place, space]) => text.slice(0, place) + space + text.slice(place), plain)
    })
