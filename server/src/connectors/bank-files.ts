import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { isValidBIC, isValidIBAN } from 'ibantools'
import { type BankFilesRail, createBankFilesRail } from '../bank-files/rail.ts'
import type { BankFolder } from '../bank-files/stores/bank-folder.ts'
import { createDiskFolder } from '../bank-files/stores/disk-folder.ts'
import { createSftpFolder } from '../bank-files/stores/sftp-folder.ts'
import { isRoutingNumber } from '../formats/check-digits.ts'
import { problem } from './problem.ts'

type Environment = Readonly<Record<string, string | undefined>>
const SFTP_PORT = 22

/** A rail of kind `bank-files`, of an entry whose form is right. Throws ConfigError. */
export function bankFilesRail(entry: BankFilesRailValue, environment: Environment): BankFilesRail {
  const fault = faultOf(entry)
  if (fault !== undefined) throw problem(entry, fault)
  return createBankFilesRail(entry, folderOf(entry, environment))
}

/** What is wrong with an entry; undefined where nothing is. */
function faultOf({ format, serves, place }: BankFilesRailValue): string | undefined {
  const currency = format.type === 'SEPA' ? 'EUR' : 'USD'
  const other = serves.flatMap(({ currencies }) => currencies).find((one) => one !== currency)
  if (other !== undefined) return `serves: ${format.type} carries ${currency}, not ${other}`
  if (format.type === 'SEPA' && serves.some(({ direction }) => direction === 'PULL'))
    return 'serves: SEPA credit transfers pull nothing'
  const folders = [place.outbox, place.inbox, place.done, place.refused]
  if (new Set(folders).size < folders.length)
    return 'place: outbox, inbox, done and refused must be four folders'
  if (format.type === 'SEPA') {
    if (!isValidIBAN(format.iban)) return 'format: iban is not valid'
    return format.bic !== undefined && !isValidBIC(format.bic) ? 'format: bic is not valid' : undefined
  }
  if (!isRoutingNumber(format.destination)) return 'format: destination is not a routing number'
  return isRoutingNumber(format.routingNumber) ? undefined : 'format: routingNumber is not a routing number'
}

function folderOf(entry: BankFilesRailValue, environment: Environment): BankFolder {
  const { place } = entry
  if (place.type === 'folder') return createDiskFolder(place.path.replace(/\/+$/, ''))
  const secret = (name: 'password' | 'privateKey' | 'passphrase') => {
    const env = place[name]?.env
    if (env === undefined) return {}
    const value = environment[env]
    if (!value) throw problem(entry, `the environment variable ${env} must have the ${name} of place`)
    return { [name]: value }
  }
  if (!place.password && !place.privateKey) throw problem(entry, 'place: password or privateKey is needed')
  const { host, port = SFTP_PORT, user, hostKey, path = '' } = place
  return createSftpFolder({
    ...{ host, port, user, hostKey, root: path.replace(/\/+$/, '') },
    ...secret('password'),
    ...secret('privateKey'),
    ...secret('passphrase'),
  })
}
