import { CALLS, SHAPES } from '../generated/calls.ts'
import type { EndpointName, StreamName } from './calls.ts'
import { suggestNearest } from './did-you-mean.ts'

/** One call of the API, as the client makes it. */
export interface Endpoint {
  readonly name: EndpointName | StreamName
  readonly noun: string
  readonly verb: string
  readonly method: string
  readonly path: string
  readonly isIdempotent: boolean
  readonly isSigned: boolean
  readonly isUpload: boolean
  /** True for a streaming call, which has no noun. */
  readonly isStream: boolean
  /** True if the response is a list of records in `data`. */
  readonly isList: boolean
  /** The argument after the path parameters. */
  readonly takes: 'body' | 'query' | undefined
  readonly needsInput: boolean
  /** The media types that a response may have instead of JSON. */
  readonly texts: readonly string[]
  /** The success responses by status. Without a body: `hasBody` is false. */
  readonly answers: ReadonlyMap<number, { readonly hasBody: boolean; readonly shape: unknown }>
}

let table: ReadonlyMap<string, Endpoint> | undefined

/** All calls by their names, read once. */
export function endpoints(): ReadonlyMap<string, Endpoint> {
  table ??= new Map(
    CALLS.trim()
      .split('\n')
      .map(read)
      .map((endpoint) => [endpoint.name, endpoint]),
  )
  return table
}

/** Throws TypeError for an unknown name. */
export function endpointOf(name: string): Endpoint {
  const endpoint = endpoints().get(name)
  if (endpoint) return endpoint
  throw new TypeError(
    `There is no call ${JSON.stringify(name)}.${suggestNearest(name, [...endpoints().keys()])}`,
  )
}

function read(line: string): Endpoint {
  const [name, nounAndVerb = '', method = '', path = '', flags = '', ...answers] = line.split(' ')
  const [noun = '', verb = ''] = nounAndVerb.split('.')
  const is = (flag: string) => flags.includes(flag)
  return {
    name: name as Endpoint['name'],
    noun,
    verb,
    method,
    path,
    isIdempotent: is('i'),
    isSigned: is('s'),
    isUpload: is('u'),
    isList: is('l'),
    isStream: is('e'),
    takes: is('b') || is('B') ? 'body' : is('q') || is('Q') ? 'query' : undefined,
    needsInput: is('B') || is('Q'),
    texts: [
      ...(is('c') ? ['text/csv'] : []),
      ...(is('h') ? ['text/html'] : []),
      ...(is('t') ? ['text/plain'] : []),
      ...(is('x') ? ['application/xml'] : []),
      ...(is('o') ? ['application/x-ofx'] : []),
      ...(is('e') ? ['text/event-stream'] : []),
    ],
    answers: new Map(answers.map(answerOf)),
  }
}

function answerOf(text: string) {
  const [status, shape] = text.split(':')
  return [
    Number(status),
    { hasBody: shape !== undefined, shape: shape ? SHAPES[Number(shape)] : undefined },
  ] as const
}
