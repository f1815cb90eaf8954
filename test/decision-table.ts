import { readdirSync, readFileSync } from 'node:fs'
import { formatMarkdownTable } from './markdown-table.ts'

const FOLDER = new URL('../docs/decisions/', import.meta.url)

export interface Decision {
  readonly number: string
  readonly title: string
  readonly status: string
}

/**
 * Parses the head of a decision: `# NNNN: title`, an empty line, then `Status: accepted` or `Status:
 * superseded by NNNN`. Undefined for any other head, or if the number differs from the one in the file name.
 */
export function parseDecision(file: string, text: string): Decision | undefined {
  const head = /^# (\d{4}): (.+)\n\nStatus: (accepted|superseded by \d{4})\n\n/.exec(text)
  if (!head || !file.startsWith(`${head[1]}-`)) return undefined
  return { number: head[1]!, title: head[2]!, status: head[3]! }
}

/** The pages in `docs/decisions/`, ordered by number. */
export function decisionFiles(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
}

export function readDecision(file: string): Decision | undefined {
  return parseDecision(file, readFileSync(new URL(file, FOLDER), 'utf8'))
}

/** Prints every decision with its number, title and status. Throws if the head of a page is malformed. */
export function formatDecisionTable(): string {
  return formatMarkdownTable(
    ['number', 'decision', 'status'],
    decisionFiles().map((file) => {
      const decision = readDecision(file)
      if (!decision) throw new Error(`docs/decisions/${file} has no title and status in their form`)
      return [decision.number, `[${decision.title.replaceAll('|', '\\|')}](${file})`, decision.status]
    }),
  )
}
