import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { formatNounCall, verbOf } from '@countersign/contract/nouns'
import {
  OFFLINE_FORMS,
  type OperatorCommand,
  SERVICE_FORMS,
} from '@countersign/contract/operation/operator-commands'
import { formatMarkdownTable } from './markdown-table.ts'

/** Prints every call of the sdk, by noun. */
export function formatNounTable(): string {
  const rows = (Object.entries(API) as [EndpointName, Endpoint][]).map(([name, endpoint]) => ({
    name,
    endpoint,
    verb: verbOf(name),
  }))
  // A helper is its own noun.
  const nounOf = (verb: string) => verb.split('.', 1)[0]!
  const nouns = [...new Set(rows.map(({ verb }) => nounOf(verb)))]
  return formatMarkdownTable(
    ['`countersign.`', '', 'call'],
    nouns.flatMap((noun) =>
      rows
        .filter(({ verb }) => nounOf(verb) === noun)
        .map(({ name, endpoint }) => [
          `\`${formatNounCall(name, endpoint)}\``,
          endpoint.summary,
          `\`${name}\``,
        ]),
    ),
  )
}

/** Prints every operator command, as `countersign` accepts it. */
export function formatOperatorTable(): string {
  const forms: OperatorCommand[] = Object.values({ ...SERVICE_FORMS, ...OFFLINE_FORMS })
  return formatMarkdownTable(
    ['`countersign`', ''],
    forms.flatMap(({ cli, options = {}, description }) => {
      if (cli === undefined) return []
      const words = Object.entries(options).map(([name, { value, required, isArgument, cliName = name }]) => {
        const shown = value === undefined ? [] : [value]
        const text = [...(isArgument ? [] : [`--${cliName}`]), ...shown].join(' ')
        return required ? text : `[${text}]`
      })
      return [[`\`${[cli, ...words].join(' ')}\``, description]]
    }),
  )
}
