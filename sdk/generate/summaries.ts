import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'

/** The summary of each call, so that the console can name calls without loading the whole contract. */
export function generateSummariesFile(): string {
  const lines = Object.entries<Endpoint>(API).map(
    ([name, { summary }]) => `${name}: ${JSON.stringify(summary)},`,
  )
  return `export const SUMMARIES = {\n${lines.join('\n')}\n}\n`
}
