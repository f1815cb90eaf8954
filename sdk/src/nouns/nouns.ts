import type { AnyCaller, AnyInput, Caller } from '../client/calls.ts'
import { suggestNearest } from '../client/did-you-mean.ts'
import { type Endpoint, getEndpoints } from '../client/endpoints.ts'
import { SignatureRequiredError } from '../client/errors.ts'
import type { Nouns } from '../generated/nouns.ts'
import { isObject } from '../json/json.ts'
import { callSignedByName, isChallenge } from '../signing/signed-retry.ts'
import type { Signer } from '../signing/signer.ts'
import { Listing } from './listing.ts'

type Verb = (...args: readonly unknown[]) => unknown

const OPTIONS = ['signal', 'timeoutMs', 'sandboxFault']
const SIGNED_OPTIONS = ['signer', 'signature', 'requestId']

/** Properties that runtimes and tools read from any object, so they must not throw. */
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
 * Builds the API's nouns, each with its verbs, for a client or an app's own caller. Reading an unknown name
 * throws TypeError with a suggestion.
 */
export function nounsOf(caller: Caller): Nouns {
  const nouns: Record<string, Record<string, Verb>> = {}
  for (const endpoint of getEndpoints().values()) {
    const { noun, verb, isStream } = endpoint
    if (isStream) continue
    const verbs: Record<string, Verb> =
      nouns[noun] ?? Object.create(createStrictPrototype(`countersign.${noun}`, () => Object.keys(verbs)))
    nouns[noun] = verbs
    verbs[verb] = createVerb(caller, endpoint)
  }
  return nouns as unknown as Nouns
}

/**
 * Creates a prototype for an object with a fixed set of properties: reading any other name throws TypeError
 * with a suggestion.
 */
export function createStrictPrototype(
  owner: string,
  names: () => readonly string[],
  base: object = Object.prototype,
): object {
  return new Proxy(base, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target || PROBES.has(name) || !/^[a-z]/.test(name))
        return Reflect.get(target, name, receiver)
      const suggestion = suggestNearest(name, names())
      throw new TypeError(
        `${owner} has no "${name}".${suggestion || ` It has ${[...names()].sort().join(', ')}.`}`,
      )
    },
  })
}

function createVerb(caller: AnyCaller, endpoint: Endpoint): Verb {
  if (endpoint.isList) return (...args) => new Listing((cursor) => fetchPage(caller, endpoint, args, cursor))
  return async (...args) => {
    const { input, signer } = buildInput(endpoint, args)
    return callForBody(caller, endpoint, input, signer)
  }
}

async function callForBody(
  caller: AnyCaller,
  endpoint: Endpoint,
  input: AnyInput,
  signer: Signer | undefined,
) {
  const { name, isSigned } = endpoint
  if (signer) return (await callSignedByName(caller, name, input, signer)).body
  const response = await caller.call(name, input)
  if (isSigned && isChallenge(response)) throw new SignatureRequiredError(formatName(endpoint), response.body)
  return response.body
}

async function fetchPage(
  caller: AnyCaller,
  endpoint: Endpoint,
  args: readonly unknown[],
  cursor: string | undefined,
) {
  const { input } = buildInput(endpoint, args)
  const query = cursor === undefined ? input.query : { ...input.query, cursor }
  return (await caller.call(endpoint.name, { ...input, ...(query && { query }) })).body as never
}

/** Builds a call's input from a verb's arguments. Throws TypeError naming the invalid parameter. */
function buildInput(
  endpoint: Endpoint,
  args: readonly unknown[],
): { input: AnyInput; signer: Signer | undefined } {
  const { inputKind: takes, needsInput } = endpoint
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const rest = args.slice(names.length)
  const params = Object.fromEntries(names.map((name, i) => [name, requireParam(endpoint, name, args[i])]))
  const argument = takes ? rest.shift() : undefined
  const options = rest.shift() ?? {}
  if (rest.length > 0)
    throw new TypeError(`${formatUsage(endpoint)} received ${rest.length} additional arguments.`)
  if (takes && (argument === undefined ? needsInput : !isObject(argument)))
    throw new TypeError(
      `${formatUsage(endpoint)}: ${takes} ${argument === undefined ? 'is missing' : `must be an object, not ${describeType(argument)}`}.`,
    )
  if (!isObject(options))
    throw new TypeError(`${formatUsage(endpoint)}: options must be an object, not ${describeType(options)}.`)
  checkOptions(endpoint, options)
  const { signer, ...callOptions } = options
  const input = { ...callOptions, params, ...(takes && argument !== undefined && { [takes]: argument }) }
  return { input, signer: signer as Signer | undefined }
}

function requireParam(endpoint: Endpoint, name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  const problem =
    value === undefined
      ? 'is missing'
      : `must be a non-empty string, not ${value === '' ? 'an empty one' : describeType(value)}`
  throw new TypeError(`${formatUsage(endpoint)}: ${name} ${problem}.`)
}

function checkOptions(endpoint: Endpoint, options: Readonly<Record<string, unknown>>): void {
  const allowed = [
    ...OPTIONS,
    ...(endpoint.isIdempotent ? ['idempotencyKey'] : []),
    ...(endpoint.isSigned ? SIGNED_OPTIONS : []),
  ]
  for (const name of Object.keys(options))
    if (!allowed.includes(name))
      throw new TypeError(
        `${formatUsage(endpoint)}: unknown option "${name}".${suggestNearest(name, allowed) || ` The options are ${allowed.join(', ')}.`}`,
      )
}

function describeType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}

function formatName({ noun, verb }: Endpoint): string {
  return `${noun}.${verb}`
}

/** Formats a verb's signature, such as `quotes.execute(quoteId, options)`. */
function formatUsage(endpoint: Endpoint): string {
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return `${formatName(endpoint)}(${[...params, ...(endpoint.inputKind ? [endpoint.inputKind] : []), 'options'].join(', ')})`
}
