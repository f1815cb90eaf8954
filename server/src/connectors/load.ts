import { readFile } from 'node:fs/promises'
import type {
  EvmRailValue,
  HttpRailValue,
  RailEntryValue,
  RailsFileValue,
} from '@countersign/contract/connectors/rails-file'
import { secretOfText } from '../crypto/standard-webhooks.ts'
import { messageOf } from '../formats/thrown.ts'
import { parseJson } from '../json/json.ts'
import type { Enclave } from '../ports/enclave.ts'
import type { Log } from '../ports/log.ts'
import type { Tracing } from '../ports/tracing.ts'
import { faultOfHours } from '../rails/hours.ts'
import type { ConfiguredRail } from '../rails/registry.ts'
import { ConfigError } from '../settings/config-error.ts'
import { isSafeUrl } from '../settings/safe-url.ts'
import { bankFilesRail } from './bank-files.ts'
import { createHttpRail } from './http-rail.ts'
import { problem } from './problem.ts'

/** What loading a rails file needs. `check` throws for a text that is not such a file, and names the field. */
export interface Loading {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly check: (value: unknown) => RailsFileValue
  readonly clock: () => Date
  /** Holds the keys on chains. */
  readonly enclave: Enclave
  /** How far the chain of a rail was followed; undefined before any process has met it. */
  readonly followedBlock: (rail: string) => Promise<bigint | undefined>
  /** Hears of nodes of chains that cannot be used. */
  readonly onNodeAlert: (rail: string) => void
  readonly log: Log
  readonly tracing: Tracing | undefined
}

const TIMEOUT_SECONDS = 10

/** The rails of a file. Throws ConfigError with one line that names the rail and what is wrong with it. */
export async function loadRails(path: string, loading: Loading): Promise<ConfiguredRail[]> {
  const { rails } = checked(await jsonOfFile(path), loading.check)
  const names = rails.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new ConfigError(`RAILS_FILE has two rails with the name ${twice}`)
  const chains = rails.filter((entry) => entry.kind === 'evm')
  checkChains(chains)
  return Promise.all(rails.map((entry) => railOf(entry, loading)))
}

/** One id of a chain is one chain, and a network one of them. */
function checkChains(entries: readonly EvmRailValue[]): void {
  for (const entry of entries) {
    const other = entries.find(
      ({ network, chainId }) => (network === entry.network) !== (chainId === entry.chainId),
    )
    if (other)
      throw problem(
        entry,
        `${entry.network} is the chain ${entry.chainId} here, but ${other.network} is ${other.chainId} for the rail ${other.name}`,
      )
  }
}

function checked(value: unknown, check: Loading['check']): RailsFileValue {
  try {
    return check(value)
  } catch (error) {
    throw new ConfigError(`RAILS_FILE: ${messageOf(error)}`)
  }
}

async function jsonOfFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`RAILS_FILE cannot be read: ${messageOf(error)}`)
  })
  try {
    return parseJson(text)
  } catch (error) {
    throw new ConfigError(`RAILS_FILE is not JSON: ${messageOf(error)}`)
  }
}

async function railOf(entry: RailEntryValue, loading: Loading): Promise<ConfiguredRail> {
  const fault = entry.hours && faultOfHours(entry.hours)
  if (fault !== undefined) throw problem(entry, `hours: ${fault}`)
  const empty = entry.limits?.find(({ min, max }) => min !== undefined && max !== undefined && min > max)
  if (empty) throw problem(entry, `limits: min must not be above max for ${empty.currency}`)
  switch (entry.kind) {
    case 'http':
      return httpRail(entry, loading)
    case 'bank-files':
      return bankFilesRail(entry, loading.environment)
    case 'evm':
      // What it needs takes long to load, and most servers have no chain.
      return (await import('./evm.ts')).evmRail(entry, loading)
  }
}

function httpRail(entry: HttpRailValue, { environment, clock, tracing }: Loading): ConfiguredRail {
  if (!isSafeUrl(entry.url) || new URL(entry.url).search)
    throw problem(
      entry,
      'url must begin with https:// (http:// for this machine alone), without user or query',
    )
  const url = new URL(entry.url).href.replace(/\/+$/, '')
  const secrets = secretsOf(entry, environment)
  const timeoutMs = (entry.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000
  const span = tracing && (() => tracing.context())
  return createHttpRail(entry, { url, secrets, timeoutMs, span }, clock)
}

/** One secret, or two while it is replaced, separated by a comma or a space. The message repeats none. */
function secretsOf(entry: HttpRailValue, environment: Loading['environment']): Uint8Array[] {
  const { env } = entry.secret
  const texts = (environment[env] ?? '').trim().split(/[\s,]+/)
  const secrets = texts.map(secretOfText).filter((secret) => secret !== undefined)
  if (secrets.length < texts.length || secrets.length > 2)
    throw problem(
      entry,
      `the environment variable ${env} must have one or two secrets like whsec_…, separated by a comma`,
    )
  return secrets
}
