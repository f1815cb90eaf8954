import { lineOf, parse, type Source } from '../source-reading.ts'

/**
 * A text for people, joined into one line: a comment, a string, a heading, or a paragraph, list item or table
 * cell of a document.
 */
export interface TextBlock {
  readonly kind: 'comment' | 'string' | 'heading' | 'prose'
  readonly line: number
  readonly text: string
}

/** From a start position up to, but not including, an end position. */
export type Range = readonly [start: number, end: number]

/** The comments of a file that are outside its literals. Consecutive line comments count as one. */
export function commentsOf(source: Source, literals: readonly Range[]): TextBlock[] {
  const file = parse(source)
  const code = blankOut(source.text, literals)
  const found = [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*/g)]
  return found.map(({ 0: comment, index }) => ({
    kind: 'comment',
    line: lineOf(file, index),
    text: comment
      .replace(/^\/\*+|\*+\/$/g, '')
      .replace(/^[ \t]*(?:\/\/+|\*)/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}

/** The headings, paragraphs, list items and table cells of a document, without code blocks. */
export function proseOf({ text }: Source): TextBlock[] {
  const blocks: TextBlock[] = []
  let open: { line: number; lines: string[] } | undefined
  const close = () => {
    if (open) blocks.push({ kind: 'prose', line: open.line, text: open.lines.join(' ') })
    open = undefined
  }
  let isCode = false
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    const heading = /^#+ (.+)$/.exec(line)
    if (isCode || isFence || heading || /^\s*$|^\s*(?:[-*]|\d+\.) |^\|/.test(line)) close()
    if (isCode || isFence) continue
    if (heading) blocks.push({ kind: 'heading', line: index + 1, text: heading[1]! })
    else if (line.startsWith('|'))
      for (const cell of line.split('|'))
        if (/\w/.test(cell)) blocks.push({ kind: 'prose', line: index + 1, text: cell.trim() })
    if (heading || line.startsWith('|') || line.trim() === '') continue
    open ??= { line: index + 1, lines: [] }
    open.lines.push(line.trim().replace(/^(?:[-*]|\d+\.) /, ''))
  }
  close()
  return blocks
}

function blankOut(text: string, ranges: readonly Range[]): string {
  let result = ''
  let from = 0
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start < from) continue
    result += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, ' ')
    from = end
  }
  return result + text.slice(from)
}
