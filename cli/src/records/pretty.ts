/** Matches one token of JSON: a string, a punctuation mark, or a literal. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Formats JSON with one property or item per line. Works on the text, so that long numbers keep all their
 * digits.
 */
export function formatPrettyJson(text: string): string {
  let depth = 0
  let previous = ''
  let out = ''
  const breakLine = () => `\n${'  '.repeat(depth)}`
  for (const [part] of text.matchAll(TOKENS)) {
    const isEnd = part === '}' || part === ']'
    if (isEnd) depth--
    const isEmpty = isEnd && (previous === '{' || previous === '[')
    const begins = previous === '{' || previous === '[' || previous === ','
    if ((begins && !isEnd) || (isEnd && !isEmpty)) out += breakLine()
    out += part === ':' ? ': ' : part
    if (part === '{' || part === '[') depth++
    previous = part
  }
  return out
}
