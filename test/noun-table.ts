import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { NOUNS } from '@countersign/contract/nouns'
import { markdownTable } from './markdown-table.ts'

/** Every call as the sdk offers it, by noun. */
export function nounTable(): string {
  const rows = Object.entries<Endpoint>(API).map(([name, endpoint]) => ({
    name,
    endpoint,
    verb: NOUNS[name as keyof typeof NOUNS],
  }))
  const nounOf = (verb: string) => verb.slice(0, verb.indexOf('.'))
  const nouns = [...new Set(rows.map(({ verb }) => nounOf(verb)))]
  return markdownTable(
    ['`countersign.`', '', 'call'],
    nouns.flatMap((noun) =>
      rows
        .filter(({ verb }) => nounOf(verb) === noun)
        .map(({ verb, name, endpoint }) => [
          `\`${verb}(${argumentsOf(endpoint)})\``,
          endpoint.summary,
          `\`${name}\``,
        ]),
    ),
  )
}

function argumentsOf({ path, body, upload, query, bodyOptional }: Endpoint): string {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const input = body || upload ? [bodyOptional ? 'body?' : 'body'] : query ? ['query'] : []
  return [...params, ...input].join(', ')
}
