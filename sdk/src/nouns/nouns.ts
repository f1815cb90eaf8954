import type { AnyCaller, AnyInput, Caller } from '../client/calls.ts'
import { suggestNearest } from '../client/did-you-mean.ts'
import { type Endpoint, endpoints } from '../client/endpoints.ts'
import { SignatureRequiredError } from '../client/errors.ts'
import type { Nouns } from '../generated/nouns.ts'
import { isObject } from '../json/json.ts'
import { isChallenge, signedByName } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import { Listing } from './listing.ts'

type Verb = (...given: readonly unknown[]) => unknown

const OPTIONS = ['signal', 'timeoutMs', 'sandboxFault']
const SIGNED_OPTIONS = ['signer', 'signature', 'requestId']

/** Properties that programs read from any object, without meaning a noun or a verb. */
const PROBES: ReadonlySet<string> = new Set([
  'then',
  'catch',
  'finally',
  'toJSON',
  'inspect',
  'nodeType',
  'tagName',
  'asymmetricMatch',
  'hasAttribute',
])

/**
 * The nouns of the API for a client, or for an app's own connection, each with its verbs. An unknown name
 * throws TypeError with the nearest one.
 */
export function nounsOf(caller: Caller): Nouns {
  const nouns: Record<string, Record<string, Verb>> = {}
  for (const endpoint of endpoints().values()) {
    const { noun, verb, isStream } = endpoint
    if (isStream) continue
    const verbs: Record<string, Verb> =
      nouns[noun] ?? Object.create(createStrictPrototype(`countersign.${noun}`, () => Object.keys(verbs)))
    nouns[noun] = verbs
    verbs[verb] = verbOf(caller, endpoint)
  }
  return nouns as unknown as Nouns
}

/**
 * A prototype for an object with a closed set of properties: reading another name throws TypeError with the
 * nearest one.
 */
export function createStrictPrototype(
  whose: string,
  names: () => readonly string[],
  base: object = Object.prototype,
): object {
  return new Proxy(base, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target || PROBES.has(name) || !/^[a-z]/.test(name))
        return Reflect.get(target, name, receiver)
      const meant = suggestNearest(name, names())
      throw new TypeError(
        `${whose} has no "${name}".${meant || ` It has ${[...names()].sort().join(', ')}.`}`,
      )
    },
  })
}

function verbOf(caller: AnyCaller, endpoint: Endpoint): Verb {
  if (endpoint.isList) return (...given) => new Listing((cursor) => pageOf(caller, endpoint, given, cursor))
  return async (...given) => {
    const { input, signer } = inputOf(endpoint, given)
    return resultOf(caller, endpoint, input, signer)
  }
}

async function resultOf(caller: AnyCaller, endpoint: Endpoint, input: AnyInput, signer: Signer | undefined) {
  const { name, isSigned } = endpoint
  if (signer) return (await signedByName(caller, name, input, signer)).body
  const answer = await caller.call(name, input)
  if (isSigned && isChallenge(answer)) throw new SignatureRequiredError(nameOf(endpoint), answer.body)
  return answer.body
}

async function pageOf(
  caller: AnyCaller,
  endpoint: Endpoint,
  given: readonly unknown[],
  cursor: string | undefined,
) {
  const { input } = inputOf(endpoint, given)
  const query = cursor === undefined ? input.query : { ...input.query, cursor }
  return (await caller.call(endpoint.name, { ...input, ...(query && { query }) })).body as never
}

/** The input of a call, built from the arguments of a verb. Throws TypeError, naming the parameter. */
function inputOf(
  endpoint: Endpoint,
  given: readonly unknown[],
): { input: AnyInput; signer: Signer | undefined } {
  const { takes, needsInput } = endpoint
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const rest = given.slice(names.length)
  const params = Object.fromEntries(names.map((name, i) => [name, paramOf(endpoint, name, given[i])]))
  const own = takes ? rest.shift() : undefined
  const options = rest.shift() ?? {}
  if (rest.length > 0)
    throw new TypeError(`${usage(endpoint)} takes no more than these: ${rest.length} more were given`)
  if (takes && (own === undefined ? needsInput : !isObject(own)))
    throw new TypeError(
      `${usage(endpoint)}: ${takes} ${own === undefined ? 'is missing' : `must be an object, and is ${kindOf(own)}`}`,
    )
  if (!isObject(options))
    throw new TypeError(`${usage(endpoint)}: options must be an object, and is ${kindOf(options)}`)
  checkOptions(endpoint, options)
  const { signer, ...callOptions } = options
  const input = { ...callOptions, params, ...(takes && own !== undefined && { [takes]: own }) }
  return { input, signer: signer as Signer | undefined }
}

function paramOf(endpoint: Endpoint, name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  const what =
    value === undefined ? 'is missing' : `must be a text, and is ${value === '' ? 'empty' : kindOf(value)}`
  throw new TypeError(`${usage(endpoint)}: ${name} ${what}`)
}

function checkOptions(endpoint: Endpoint, options: Readonly<Record<string, unknown>>): void {
  const known = [
    ...OPTIONS,
    ...(endpoint.isIdempotent ? ['idempotencyKey'] : []),
    ...(endpoint.isSigned ? SIGNED_OPTIONS : []),
  ]
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(
        `${usage(endpoint)}: there is no option "${name}".${suggestNearest(name, known) || ` There are ${known.join(', ')}.`}`,
      )
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}

function nameOf({ noun, verb }: Endpoint): string {
  return `${noun}.${verb}`
}

/** `quotes.execute(quoteId, options)` */
function usage(endpoint: Endpoint): string {
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return `${nameOf(endpoint)}(${[...params, ...(endpoint.takes ? [endpoint.takes] : []), 'options'].join(', ')})`
}
