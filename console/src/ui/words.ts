/** The name of a field for people: `platformCustomerId` is `Platform customer id`. */
export function wordsOfName(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A value as indented JSON. Integers beyond the range of a number become strings. */
export function rawJson(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? toExactNumber(one) : one), 2) ?? ''
}

/** A number if it is exact, otherwise the digits as a string. */
function toExactNumber(integer: bigint): number | string {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer.toString()
}
