import { readFileSync } from 'node:fs'
import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { toCanonicalUmaAddress } from '@countersign/contract/core/formats'
import { isKeyOf } from '@countersign/contract/core/objects'
import { ConfigError } from './config-error.ts'

/** A UMA provider known through the operator or the sandbox. */
export interface KnownUmaProvider {
  readonly name: string
  /** In lower case. */
  readonly domain: string
  /** ISO 3166-1 alpha-2 codes. Undefined if unknown. */
  readonly supportedRegions?: readonly string[]
  readonly supportedCurrencies: readonly KnownCurrency[]
  readonly logoUrl?: string
  readonly lei?: string
}

const NAME_CHARACTERS_MAX = 255
const PROVIDERS_MAX = 10_000

type Entry = Readonly<Record<string, unknown>>

/** The description and the check of each property. `name` and `domain` are required. */
const MEMBERS: Readonly<
  Record<keyof KnownUmaProvider, readonly [patternText: string, is: (value: unknown) => boolean]>
> = {
  name: [
    `a name of 1 to ${NAME_CHARACTERS_MAX} characters on one line`,
    (value) =>
      isNonEmptyString(value) &&
      value.length <= NAME_CHARACTERS_MAX &&
      /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u.test(value),
  ],
  domain: [
    'a host name in lower case',
    (value) => isNonEmptyString(value) && toCanonicalUmaAddress(`$a@${value}`) === `$a@${value}`,
  ],
  supportedRegions: [
    'a list of countries like US',
    (value) => isListOf(value, (item) => /^[A-Z]{2}$/.test(item)),
  ],
  supportedCurrencies: [
    'a list of currencies that this server supports',
    (value) => isListOf(value, isKnownCurrency),
  ],
  logoUrl: [
    'a URL that begins with https://',
    (value) => isNonEmptyString(value) && /^https:\/\//.test(value) && URL.canParse(value),
  ],
  lei: [
    '20 letters and digits (ISO 17442)',
    (value) => isNonEmptyString(value) && /^[A-Z0-9]{18}[0-9]{2}$/.test(value),
  ],
}
const REQUIRED = ['name', 'domain', 'supportedCurrencies'] as const

/**
 * Reads the file in `UMA_PROVIDERS_FILE`, if set. Throws ConfigError with a one-line message that names the
 * faulty entry.
 */
export function readUmaProviders(env: { readonly UMA_PROVIDERS_FILE?: string | undefined }): {
  readonly umaProviders?: readonly KnownUmaProvider[]
} {
  const path = env.UMA_PROVIDERS_FILE
  if (!path) return {}
  const entries = readJsonFile(path)
  if (!Array.isArray(entries) || entries.length > PROVIDERS_MAX)
    throw new ConfigError(`UMA_PROVIDERS_FILE: ${path} must be a list of at most ${PROVIDERS_MAX} providers.`)
  const umaProviders = entries.map((entry: unknown, index) =>
    readProvider(entry, `UMA_PROVIDERS_FILE: entry ${index + 1}`),
  )
  const domains = umaProviders.map(({ domain }) => domain)
  const repeatedDomain = domains.find((domain, index) => domains.indexOf(domain) !== index)
  if (repeatedDomain !== undefined)
    throw new ConfigError(`UMA_PROVIDERS_FILE: the domain ${repeatedDomain} is listed twice.`)
  return { umaProviders }
}

function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigError(
      `UMA_PROVIDERS_FILE: ${path} cannot be read as JSON (${error instanceof Error ? error.message : error}).`,
    )
  }
}

function readProvider(entry: unknown, place: string): KnownUmaProvider {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new ConfigError(`${place} must be an object.`)
  const members: Entry = { ...entry }
  for (const name of REQUIRED)
    if (!Object.hasOwn(members, name)) throw new ConfigError(`${place} lacks the property ${name}.`)
  for (const [name, value] of Object.entries(members)) {
    const [patternText, is] = isKeyOf(MEMBERS, name) ? MEMBERS[name] : []
    if (!is) throw new ConfigError(`${place} has an unknown property: ${name}.`)
    if (!is(value)) throw new ConfigError(`${place}: ${name} must be ${patternText}.`)
  }
  // All properties were checked above.
  return members as unknown as KnownUmaProvider
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isListOf(value: unknown, is: (item: string) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && is(item))
}
