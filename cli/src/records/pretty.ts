/** The parts of JSON text: a string, a mark, or a word or number. */
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with one property or item per line. Strings and numbers are unchanged, regardless of their length. */
export function prettyJson(text: string): string {
  let depth = 0
  let before = ''
  let out = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [part] of text.matchAll(PARTS)) {
    const isEnd = part === '}' || part === ']'
    if (isEnd) depth--
    const isEmpty = isEnd && (before === '{' || before === '[')
    const begins = before === '{' || before === '[' || before === ','
    if ((begins && !isEnd) || (isEnd && !isEmpty)) out += newLine()
    out += part === ':' ? ': ' : part
    if (part === '{' || part === '[') depth++
    before = part
  }
  return out
}
