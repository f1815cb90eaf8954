import { API } from '@countersign/contract/api'
import { type Endpoint, isStream } from '@countersign/contract/core/endpoint'
import { getOwnValue } from '@countersign/contract/core/objects'
import { NOUNS } from '@countersign/contract/nouns'
import { isList, isOptional } from './calls.ts'

/** The nouns and verbs of the client, as types, with the description of each call. */
export function generateNounsFile(): string {
  const verbs = new Map<string, string[]>()
  for (const [name, endpoint] of Object.entries<Endpoint>(API)) {
    if (isStream(endpoint)) continue
    const [noun = '', verb = ''] = getOwnValue(NOUNS, name)?.split('.') ?? []
    verbs.set(noun, [...(verbs.get(noun) ?? []), verbOf(name, verb, endpoint)])
  }
  const interfaces = [...verbs].map(
    ([noun, lines]) => `export interface ${typeName(noun)} {\n${lines.join('\n')}\n}`,
  )
  const all = [...verbs.keys()].map((noun) => `readonly ${noun}: ${typeName(noun)}`)
  return [
    "import type { BodyInput, QueryInput } from '../client/calls.ts'\nimport type { ListOf, NounOptions, ResultOf } from '../nouns/noun-types.ts'",
    ...interfaces,
    `/** Every noun of the API. */\nexport interface Nouns {\n${all.join('\n')}\n}`,
  ].join('\n\n')
}

function verbOf(name: string, verb: string, endpoint: Endpoint): string {
  const { method, path, summary, description, body, query, upload, responses } = endpoint
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => `${param}: string`)
  const input =
    body || upload
      ? `body${isOptional(endpoint) ? '?' : ''}: BodyInput<'${name}'>`
      : query
        ? `query${isOptional(endpoint) ? '?' : ''}: QueryInput<'${name}'>`
        : undefined
  const all = [...params, ...(input ? [input] : []), `options?: NounOptions<'${name}'>`]
  const result =
    method === 'GET' && isList(responses[200]) ? `ListOf<'${name}'>` : `Promise<ResultOf<'${name}'>>`
  const text = [`${summary}.`, description, `\`${method} ${path}\``].filter(Boolean).join(' ')
  return `/** ${text.replaceAll('*/', '*\\/')} */\n${verb}(${all.join(', ')}): ${result}`
}

function typeName(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Calls`
}
