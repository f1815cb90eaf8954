import { readFile } from 'node:fs/promises'
import { accountType } from '@countersign/contract/accounts/account-types'
import type { PgpValue } from '@countersign/contract/connectors/file-exchange'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { isValidBIC, isValidIBAN } from 'ibantools'
import { isCreditorId, isRoutingNumber } from '../../base/formats/check-digits.ts'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { findAcknowledgementFault } from '../bank-files/acknowledgements.ts'
import { findBacsFault } from '../bank-files/bacs-payments.ts'
import { findSchemeFault, readSchemePrefix } from '../bank-files/file-names.ts'
import { isAchAccount } from '../bank-files/formats/ach-writer.ts'
import { findFasterPaymentsFault } from '../bank-files/formats/faster-payments.ts'
import { findWireFault } from '../bank-files/formats/wires.ts'
import { findMarkerFault } from '../bank-files/markers.ts'
import { NETWORKS } from '../bank-files/networks.ts'
import { createPgp, type Pgp } from '../bank-files/pgp.ts'
import {
  type BankFilesRail,
  CARRIED,
  createBankFilesRail,
  getAccountNumber,
  hasDebits,
} from '../bank-files/rail.ts'
import type { BankFolder } from '../bank-files/stores/bank-folder.ts'
import { createDiskFolder } from '../bank-files/stores/disk-folder.ts'
import { createSftpFolder } from '../bank-files/stores/sftp-folder.ts'
import { createRailConfigError } from './config-problem.ts'

type Environment = Readonly<Record<string, string | undefined>>
const SFTP_PORT = 22

/** Opens the `bank-files` rail of a well-formed entry. Throws ConfigError. */
export async function openBankFilesRail(
  entry: BankFilesRailValue,
  environment: Environment,
): Promise<BankFilesRail> {
  return buildBankFilesRail(entry, environment, entry.pgp && (await loadPgp(entry, entry.pgp, environment)))
}

/** Creates a `bank-files` rail with the keys for its files, if it needs any. Throws ConfigError. */
export function buildBankFilesRail(
  entry: BankFilesRailValue,
  environment: Environment,
  pgp?: Pgp,
): BankFilesRail {
  const fault = findEntryFault(entry) ?? findExchangeFault(entry)
  if (fault !== undefined) throw createRailConfigError(entry, fault)
  // Check all settings here, including those that only a connection needs.
  createFolder(entry, environment)
  return createBankFilesRail(limitToNetworks(entry), () => createFolder(entry, environment), pgp)
}

async function loadPgp(
  entry: BankFilesRailValue,
  { bankKeys, ownKeys, passphrase, isArmored = false }: PgpValue,
  environment: Environment,
): Promise<Pgp> {
  const passphraseText = passphrase && environment[passphrase.env]
  if (passphrase && !passphraseText)
    throw createRailConfigError(
      entry,
      `the environment variable ${passphrase.env} must contain the passphrase of pgp`,
    )
  const readKeys = (paths: readonly string[]) => Promise.all(paths.map((path) => readFile(path)))
  try {
    const keys = { bankKeys: await readKeys(bankKeys), ownKeys: await readKeys(ownKeys) }
    return await createPgp({ ...keys, passphrase: passphraseText, isArmored })
  } catch (error) {
    throw createRailConfigError(entry, `pgp: ${getErrorMessage(error)}`)
  }
}

/** Returns what is wrong with the file settings of an entry. Undefined if they are valid. */
function findExchangeFault(entry: BankFilesRailValue): string | undefined {
  const { fileNames, markers, format } = entry
  const fault =
    (fileNames && findSchemeFault(fileNames)) ??
    (markers?.ours && findMarkerFault(markers.ours)) ??
    (markers?.theirs && findMarkerFault(markers.theirs)) ??
    findAcknowledgementFault(entry)
  if (fault !== undefined) return fault
  const isBalanced = format.type === 'ACH' && format.isBalanced
  return isBalanced && !isAchAccount(format.accountNumber)
    ? 'format: accountNumber must have 1 to 17 letters and digits, because files with an offset entry contain it'
    : undefined
}

/**
 * Two rails that share an outbox folder must never create files with the same name. Returns why they could,
 * or undefined if they cannot.
 */
export function findSharedOutboxFault(
  entry: BankFilesRailValue,
  other: BankFilesRailValue,
): string | undefined {
  const schemes = [entry, other].map(({ fileNames, format }) =>
    fileNames === undefined || fileNames.includes('{message}')
      ? undefined
      : readSchemePrefix(fileNames, getAccountNumber(format)),
  )
  const [first, second] = schemes
  if (formatOutbox(entry) !== formatOutbox(other) || first === undefined || second === undefined)
    return undefined
  return first.startsWith(second) || second.startsWith(first)
    ? `fileNames: the rail ${other.name} has the same outbox and could create files with the same names: use different prefixes`
    : undefined
}

function formatOutbox({ place }: BankFilesRailValue): string {
  const { path = '', outbox } = place
  return place.type === 'folder' ? `${path}/${outbox}` : `${place.user}@${place.host}:${path}/${outbox}`
}

/**
 * Returns the entry with its payments limited to the networks that its format supports, even if it names
 * none.
 */
function limitToNetworks(entry: BankFilesRailValue): BankFilesRailValue {
  const paymentRails = [...NETWORKS[entry.format.type]]
  const serves = entry.serves.map((line) => (line.direction === 'IN' ? line : { paymentRails, ...line }))
  return { ...entry, serves }
}

/**
 * Explains why files of this format cannot serve the entry's lines. Undefined if they can. Incoming payments
 * may use any network.
 */
function findNetworkFault({ format: { type }, serves }: BankFilesRailValue): string | undefined {
  const networks: readonly string[] = NETWORKS[type]
  const lines = serves.filter(({ direction }) => direction !== 'IN')
  const other = lines
    .flatMap(({ paymentRails = [] }) => paymentRails)
    .find((network) => !networks.includes(network))
  if (other !== undefined)
    return `serves: ${type} files carry ${networks.join(' and ')} payments, not ${other}`
  const unreached = lines
    .flatMap(({ accountTypes }) => accountTypes)
    .find((name) => !accountType(name).rails.some((network) => networks.includes(network)))
  return unreached && `serves: ${type} does not reach accounts of type ${unreached}`
}

function findStatementFault({ format, statementFormat }: BankFilesRailValue): string | undefined {
  return statementFormat === 'BAI2' && hasDebits(format)
    ? 'format: debits needs statements in camt.053 or MT940, not BAI2, which does not distinguish a collection from a deposit'
    : undefined
}

/** Returns what is wrong with an entry. Undefined if it is valid. */
function findEntryFault(entry: BankFilesRailValue): string | undefined {
  const { format, serves, place } = entry
  const currency = CARRIED[format.type]
  const other = serves.flatMap(({ currencies }) => currencies).find((code) => code !== currency)
  if (other !== undefined) return `serves: ${format.type} carries ${currency}, not ${other}`
  const pulls = serves.some(({ direction }) => direction === 'PULL')
  if (pulls && format.type === 'WIRE') return 'serves: wires cannot pull'
  if (pulls && format.type === 'FASTER_PAYMENTS') return 'serves: Faster Payments cannot pull'
  if (pulls && (format.type === 'SEPA' || format.type === 'BACS') && !format.debits)
    return 'format: debits is required, because serves has a line with the direction PULL'
  const fault = findNetworkFault(entry) ?? findStatementFault(entry)
  if (fault !== undefined) return fault
  const folders = [place.outbox, place.inbox, place.done, place.refused]
  if (new Set(folders).size < folders.length)
    return 'place: outbox, inbox, done and refused must be four different folders'
  if (format.type === 'SEPA') {
    if (!isValidIBAN(format.iban)) return 'format: iban is not valid'
    if (format.debits && !isCreditorId(format.debits.creditorId))
      return 'format: debits.creditorId is not a creditor identifier'
    return format.bic !== undefined && !isValidBIC(format.bic) ? 'format: bic is not valid' : undefined
  }
  if (format.type === 'WIRE') return findWireFault(format)
  if (format.type === 'BACS') return findBacsFault(format)
  if (format.type === 'FASTER_PAYMENTS') return findFasterPaymentsFault(format)
  if (!isRoutingNumber(format.destination)) return 'format: destination is not a routing number'
  return isRoutingNumber(format.routingNumber) ? undefined : 'format: routingNumber is not a routing number'
}

function createFolder(entry: BankFilesRailValue, environment: Environment): BankFolder {
  const { place } = entry
  if (place.type === 'folder') return createDiskFolder(place.path.replace(/\/+$/, ''))
  const readSecret = (name: 'password' | 'privateKey' | 'passphrase') => {
    const env = place[name]?.env
    if (env === undefined) return {}
    const value = environment[env]
    if (!value)
      throw createRailConfigError(entry, `the environment variable ${env} must contain the ${name} of place`)
    return { [name]: value }
  }
  if (!place.password && !place.privateKey)
    throw createRailConfigError(entry, 'place: password or privateKey is required')
  const { host, port = SFTP_PORT, user, hostKey, path = '' } = place
  return createSftpFolder({
    ...{ host, port, user, hostKey, root: path.replace(/\/+$/, '') },
    ...readSecret('password'),
    ...readSecret('privateKey'),
    ...readSecret('passphrase'),
  })
}
