import { readFile } from 'node:fs/promises'
import type {
  BankFilesRailValue,
  EvmRailValue,
  HttpRailValue,
  RailEntryValue,
  RailsFileValue,
} from '@countersign/contract/connectors/rails-file'
import { parseWebhookSecret } from '../../base/crypto/standard-webhooks.ts'
import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { parseJson } from '../../base/json/json.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import { isSafeUrl } from '../../base/settings/safe-url.ts'
import { isAccount } from '../../money/evidence/judge.ts'
import { findHoursFault } from '../../money/rails/opening-hours.ts'
import type { ConfiguredRail } from '../../money/rails/registry.ts'
import { type BankFilesRail, isBankFilesRail } from '../bank-files/rail.ts'
import { findSharedOutboxFault, openBankFilesRail } from './bank-files.ts'
import { createRailConfigError } from './config-problem.ts'
import { createHttpRail } from './http-rail.ts'
import type { Loading } from './loading.ts'

const TIMEOUT_SECONDS = 10

/**
 * Loads the rails of a file. Throws ConfigError with a one-line message that names the rail and the problem.
 */
export async function loadRails(path: string, loading: Loading): Promise<ConfiguredRail[]> {
  const { rails } = checkValue(await readJsonFile(path), loading.check)
  const names = rails.map(({ name }) => name)
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate !== undefined) throw new ConfigError(`RAILS_FILE has two rails with the name ${duplicate}.`)
  const chains = rails.filter((entry) => entry.kind === 'evm')
  checkChains(chains)
  checkSecrets(
    rails.filter((entry) => entry.kind === 'http'),
    loading.environment,
  )
  const loaded = await Promise.all(rails.map((entry) => buildRail(entry, loading)))
  checkBankAccounts(loaded.filter((rail) => isBankFilesRail(rail)))
  checkOutboxes(rails.filter((entry) => entry.kind === 'bank-files'))
  return loaded
}

/** Checks that each network has one chain id, and each chain id one network. */
function checkChains(entries: readonly EvmRailValue[]): void {
  for (const entry of entries) {
    const other = entries.find(
      ({ network, chainId }) => (network === entry.network) !== (chainId === entry.chainId),
    )
    if (other)
      throw createRailConfigError(
        entry,
        `network ${entry.network} is on chain ${entry.chainId} here, but the rail ${other.name} has network ${other.network} on chain ${other.chainId}`,
      )
  }
}

/** Checks that no two rails share a secret. Otherwise one bank could send reports in the other's name. */
function checkSecrets(entries: readonly HttpRailValue[], environment: Loading['environment']): void {
  const owners = new Map<string, string>()
  for (const entry of entries) {
    for (const secret of readSecrets(entry, environment)) {
      const text = Buffer.from(secret).toString('base64')
      const owner = owners.get(text)
      if (owner !== undefined && owner !== entry.name)
        throw createRailConfigError(
          entry,
          `the environment variable ${entry.secret.env} has a secret of the rail ${owner}: use different secrets for each rail`,
        )
      owners.set(text, entry.name)
    }
  }
}

/** Checks that each account belongs to one rail, so that a bank's reports about it count only once. */
function checkBankAccounts(rails: readonly BankFilesRail[]): void {
  const active = rails.filter(({ isRetired }) => !isRetired)
  for (const [index, { entry, accountNumbers }] of active.entries()) {
    const other = active
      .slice(0, index)
      .find((earlier) => accountNumbers.some((number) => isAccount(earlier.accountNumbers, number)))
    if (other)
      throw createRailConfigError(
        entry,
        `format: the rail ${other.name} has the same account, whose money would be counted twice`,
      )
  }
}

/** Checks that no two rails use the same file names, because a bank recognizes a file by its name. */
function checkOutboxes(entries: readonly BankFilesRailValue[]): void {
  for (const [index, entry] of entries.entries())
    for (const other of entries.slice(0, index)) {
      const fault = findSharedOutboxFault(entry, other)
      if (fault !== undefined) throw createRailConfigError(entry, fault)
    }
}

function checkValue(value: unknown, check: Loading['check']): RailsFileValue {
  try {
    return check(value)
  } catch (error) {
    throw new ConfigError(`RAILS_FILE: ${getErrorSentence(error)}`)
  }
}

async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`RAILS_FILE cannot be read: ${getErrorSentence(error)}`)
  })
  try {
    return parseJson(text)
  } catch (error) {
    throw new ConfigError(`RAILS_FILE is not JSON: ${getErrorSentence(error)}`)
  }
}

async function buildRail(entry: RailEntryValue, loading: Loading): Promise<ConfiguredRail> {
  const fault = entry.hours && findHoursFault(entry.hours)
  if (fault !== undefined) throw createRailConfigError(entry, `hours: ${fault}`)
  const emptyRange = entry.limits?.find(({ min, max }) => min !== undefined && max !== undefined && min > max)
  if (emptyRange)
    throw createRailConfigError(entry, `limits: min must not be above max for ${emptyRange.currency}`)
  switch (entry.kind) {
    case 'http':
      return openHttpRail(entry, loading)
    case 'bank-files':
      return openBankFilesRail(entry, loading.environment)
    case 'evm':
      // Loaded lazily: the chain code takes long to load, and most servers have no chain.
      return (await import('./evm.ts')).openEvmRail(entry, loading)
  }
}

function openHttpRail(entry: HttpRailValue, { environment, clock, tracing }: Loading): ConfiguredRail {
  if (!isSafeUrl(entry.url) || new URL(entry.url).search)
    throw createRailConfigError(
      entry,
      'url must begin with https:// (http:// only for this machine), without user or query',
    )
  const url = new URL(entry.url).href.replace(/\/+$/, '')
  const secrets = readSecrets(entry, environment)
  const timeoutMs = (entry.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000
  const span = tracing && (() => tracing.context())
  return createHttpRail(entry, { url, secrets, timeoutMs, span }, clock)
}

/**
 * Reads one secret, or two while it is being replaced, separated by a comma or a space. Error messages never
 * contain a secret.
 */
function readSecrets(entry: HttpRailValue, environment: Loading['environment']): Uint8Array[] {
  const { env } = entry.secret
  const texts = (environment[env] ?? '').trim().split(/[\s,]+/)
  const secrets = texts.map(parseWebhookSecret).filter((secret) => secret !== undefined)
  if (secrets.length < texts.length || secrets.length > 2)
    throw createRailConfigError(
      entry,
      `the environment variable ${env} must contain one or two secrets like whsec_…, separated by a comma`,
    )
  return secrets
}
