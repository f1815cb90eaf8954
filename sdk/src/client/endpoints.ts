import { CALLS, SHAPES } from '../generated/calls.ts'
import type { EndpointName, StreamName } from './calls.ts'
import { suggestNearest } from './did-you-mean.ts'

/** The properties of an API call that the client uses. */
export interface Endpoint {
  readonly name: EndpointName | StreamName
  readonly noun: string
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly isIdempotent: boolean
  readonly isSigned: boolean
  readonly isUpload: boolean
  /** True for a streaming call, which has no noun and no verb. */
  readonly isStream: boolean
  /** True if the response is a list of records in `data`. */
  readonly isList: boolean
  /** The argument that follows the path parameters. */
  readonly inputKind: 'body' | 'query' | undefined
  readonly needsInput: boolean
  /** Media types that the response may have instead of JSON. */
  readonly textTypes: readonly string[]
  /** The success responses by status. `hasBody` is false for a response without a body. */
  readonly responses: ReadonlyMap<number, { readonly hasBody: boolean; readonly shape: unknown }>
}

let table: ReadonlyMap<string, Endpoint> | undefined

/** All calls by name. The table is parsed on first use. */
export function getEndpoints(): ReadonlyMap<string, Endpoint> {
  table ??= new Map(
    CALLS.trim()
      .split('\n')
      .map(parseEndpoint)
      .map((endpoint) => [endpoint.name, endpoint]),
  )
  return table
}

/** Throws TypeError if the name is unknown. */
export function getEndpoint(name: string): Endpoint {
  const endpoint = getEndpoints().get(name)
  if (endpoint) return endpoint
  throw new TypeError(
    `Unknown call ${JSON.stringify(name)}.${suggestNearest(name, [...getEndpoints().keys()])}`,
  )
}

function parseEndpoint(line: string): Endpoint {
  const [name, nounAndVerb = '', method = '', path = '', flags = '', ...responses] = line.split(' ')
  const [noun = '', verb = ''] = nounAndVerb.split('.')
  const hasFlag = (flag: string) => flags.includes(flag)
  return {
    name: name as Endpoint['name'],
    noun,
    verb,
    method,
    path,
    isIdempotent: hasFlag('i'),
    isSigned: hasFlag('s'),
    isUpload: hasFlag('u'),
    isList: hasFlag('l'),
    isStream: hasFlag('e'),
    inputKind: hasFlag('b') || hasFlag('B') ? 'body' : hasFlag('q') || hasFlag('Q') ? 'query' : undefined,
    needsInput: hasFlag('B') || hasFlag('Q'),
    textTypes: [
      ...(hasFlag('c') ? ['text/csv'] : []),
      ...(hasFlag('h') ? ['text/html'] : []),
      ...(hasFlag('t') ? ['text/plain'] : []),
      ...(hasFlag('x') ? ['application/xml'] : []),
      ...(hasFlag('o') ? ['application/x-ofx'] : []),
      ...(hasFlag('e') ? ['text/event-stream'] : []),
    ],
    responses: new Map(responses.map(parseResponse)),
  }
}

function parseResponse(text: string) {
  const [status, shape] = text.split(':')
  return [
    Number(status),
    { hasBody: shape !== undefined, shape: shape ? SHAPES[Number(shape)] : undefined },
  ] as const
}
