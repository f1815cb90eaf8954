import type { OfflineCommand, ServiceCommand } from '@countersign/contract/operation/operator-commands'
import { formatTable } from '../terminal/table.ts'
import { formatAmountDigits, formatReconciledDays, type ReconciledDay } from './reconcile.ts'

/** A command's options and arguments, by name. */
export type Values = Record<string, string | boolean | undefined>

/** The result as text. `isSuccessful` is false if the result reports a problem. */
interface PrintedResult {
  readonly text: string
  readonly isSuccessful: boolean
}

type Printer = (output: string, values: Values) => PrintedResult

/** Creates a printer from a function that describes the parsed JSON output. */
function createPrinter<T>(
  describe: (result: T, values: Values) => string,
  isSuccessful: (result: T) => boolean = () => true,
): Printer {
  return (output, values) => {
    const result: T = JSON.parse(output)
    return { text: describe(result, values), isSuccessful: isSuccessful(result) }
  }
}

interface ListOutput<T> {
  readonly data: readonly T[]
}

/** Creates a printer for a list, with one line per record, or the text `none` for an empty list. */
function createListPrinter<T>(cells: (record: T) => readonly string[], none: string): Printer {
  return createPrinter<ListOutput<T>>(({ data }) => formatTable(data.map(cells), none))
}

interface Findings<T = unknown> {
  readonly findings: readonly T[]
}

const hasNoFindings = ({ findings }: Findings) => findings.length === 0
const pluralize = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`
const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

/** One line per finding, or the given sentence if nothing was found. */
const describeFindings = (findings: readonly string[], successText: string) =>
  findings.length > 0 ? findings.map((finding) => `WRONG ${finding}`) : [successText]

interface Credentials {
  readonly platformId?: string
  readonly tokenId: string
  readonly clientSecret: string
  readonly baseUrl: string
}

const credentials = createPrinter<Credentials>(({ platformId, tokenId, clientSecret, baseUrl }) => {
  const rows = [
    ...(platformId ? [['Platform', platformId]] : []),
    ...[
      ['Token id', tokenId],
      ['Client secret', clientSecret],
      ['Base URL', baseUrl],
    ],
  ]
  return joinLines([
    ...rows.map(([name, value]) => `${name!.padEnd(15)}${value}`),
    '',
    'The secret is not stored and is not shown again. Use the id and the secret as user name and password:',
    `  curl -u "${tokenId}:$CLIENT_SECRET" ${baseUrl}/config`,
  ])
})

interface Verification {
  readonly id: string
  readonly platformId?: string
  readonly customerId: string
  readonly verificationStatus: string
  readonly updatedAt: string
}

const verification = createPrinter<Verification>(
  ({ id, customerId, verificationStatus }) => `${id} of ${customerId} is ${verificationStatus}.\n`,
)

interface Platform {
  readonly id: string
  readonly name: string
  readonly isRegulated: boolean
  readonly createdAt: string
}

interface Token {
  readonly id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly createdAt: string
}

interface Route {
  readonly rail: string
  readonly kind: string
  readonly direction: string
  readonly accountTypes: readonly string[]
  readonly paymentRails?: readonly string[]
  readonly currencies: readonly string[]
  readonly now: string
}

interface RailCheck {
  readonly rail: string
  readonly ok: boolean
  readonly says: string
  /** Only for chains: monitored values, as pairs of name and value. */
  readonly facts?: readonly (readonly [string, string])[]
}

const NO_RAIL = 'RAILS_FILE is not set or contains no rails, so no money can move.'
const areAllOk = ({ data }: ListOutput<{ readonly ok: boolean }>) => data.every(({ ok }) => ok)

interface Cell {
  readonly schema: string
  readonly isOwn: boolean
  readonly mode: string | null
  readonly platforms: number | null
  readonly isOfThisBuild: boolean | null
  readonly servers: readonly string[]
}

interface Booking {
  readonly booked: string
  readonly as: string
  readonly rail: string
  readonly currency: string
  readonly amount: string
}

interface BooksCheck
  extends Findings<{
    readonly check: string
    readonly id: string
    readonly expected: string
    readonly found: string
  }> {
  readonly checked: Readonly<Record<string, number>>
}

interface Backup {
  readonly backup: string
  readonly files: number
  readonly bytes: number
  readonly documents: 'HERE' | 'BUCKET'
  readonly verified: BooksCheck
}

interface Archive {
  readonly file: string
  readonly rows: number
}

const formatArchive = ({ file, rows }: Archive) => `${file}  ${pluralize(rows, 'row')}`

export interface Invitation {
  readonly member: { readonly id: string; readonly name: string; readonly permissions: readonly string[] }
  readonly invitationUrl: string
  readonly invitationExpiresAt: string
}

export function formatInvitation({ member, invitationUrl, invitationExpiresAt }: Invitation): string[] {
  return [
    `${member.name} is invited, as ${member.id}, with ${member.permissions.join(', ')}.`,
    ...['', `  ${invitationUrl}`, ''],
    `Give this link to the member in person: anyone who opens it becomes the member. It works once, until ${invitationExpiresAt}.`,
  ]
}

const MIB = 1024 * 1024

/** One printer per command, in the order of the help. */
export const PRINTERS = {
  'platform create': credentials,
  'platform list': createListPrinter<Platform>(
    ({ id, name, isRegulated, createdAt }) => [id, createdAt, isRegulated ? 'regulated' : '', name],
    'No platforms yet. Create one: platform create --name NAME',
  ),
  'master-key rotate': createPrinter(
    () => 'The secrets of the database are sealed under the new master key.\n',
  ),
  'token create': credentials,
  'token list': createListPrinter<Token>(
    ({ id, name, permissions, createdAt }) => [id, createdAt, permissions.join(','), name],
    'Platform not found, or it has no tokens.',
  ),
  'token revoke': createPrinter<{ revoked: string }>(({ revoked }) => `${revoked} has been revoked.\n`),
  'member invite': createPrinter<Invitation>((invited) => joinLines(formatInvitation(invited))),
  'wallet unlock': createPrinter<{ unlocked: string }>(
    ({ unlocked }) => `Sign-in by code to ${unlocked} is unlocked.\n`,
  ),
  'verification list': createListPrinter<Verification>(
    ({ id, updatedAt, platformId = '', customerId }) => [id, updatedAt, platformId, customerId],
    'No verifications are waiting.',
  ),
  'verification decide': verification,
  'verification reopen': verification,
  'rails list': createListPrinter<Route>(
    ({ direction, accountTypes, paymentRails, currencies, rail, kind, now }) => [
      ...[direction, currencies.join(','), accountTypes.join(',')],
      ...[paymentRails?.join(',') ?? 'any network', rail, kind, now],
    ],
    NO_RAIL,
  ),
  'rails check': createPrinter<ListOutput<RailCheck>>(
    ({ data }) =>
      formatTable(
        data.flatMap(({ rail, ok, says, facts = [] }) => [
          [ok ? 'ok' : 'fails', rail, says],
          ...facts.map(([name, value]) => ['', name, value]),
        ]),
        NO_RAIL,
      ),
    areAllOk,
  ),
  'bank-files retry': createPrinter<ListOutput<RailCheck & { readonly file: string }>>(
    ({ data }) =>
      formatTable(
        data.map(({ rail, file, ok, says }) => [ok ? 'ok' : 'fails', rail, file, says]),
        'No bank files were rejected.',
      ),
    areAllOk,
  ),
  'reconciliation run': createPrinter<ListOutput<ReconciledDay>>(
    ({ data }) => formatReconciledDays(data),
    ({ data }) => data.every(({ differenceCount }) => differenceCount === 0),
  ),
  'reconciliation book': createPrinter<Booking>(
    ({ booked, as, rail, currency, amount }) =>
      `${booked} is booked: ${formatAmountDigits(currency, amount)} of ${rail} to ${as}.\n`,
  ),
  'upgrade status': createPrinter<{ version: string; stepsLeft: string[]; otherServers: string[] }>(
    ({ version, stepsLeft, otherServers }) =>
      formatTable(
        [
          ['this build', version],
          ['remaining steps', stepsLeft.join(', ') || 'none: the upgrade is finished'],
          ['servers on other releases', otherServers.join(', ') || 'none'],
        ],
        '',
      ),
  ),
  'upgrade finish': createPrinter<{ version: string; finished: string[] }>(({ version, finished }) =>
    finished.length > 0
      ? `The upgrade to ${version} is finished: ${finished.join(', ')}.\n`
      : `The upgrade to ${version} is finished.\n`,
  ),
  'cell list': createListPrinter<Cell>(
    ({ schema, isOwn, mode, platforms, isOfThisBuild, servers }) => [
      ...[isOwn ? '*' : ' ', schema, mode ?? 'not readable'],
      platforms === null ? '' : pluralize(platforms, 'platform'),
      isOfThisBuild === null ? '' : isOfThisBuild ? 'this build' : 'another build',
      servers.join(', '),
    ],
    'no cells',
  ),
  'cell check': createPrinter<Findings<string> & { schema: string }>(
    ({ schema, findings }) => joinLines(describeFindings(findings, `No problems found in cell ${schema}.`)),
    hasNoFindings,
  ),
  'cell map': createPrinter<{ lines: string[] }>(({ lines }) => joinLines(lines)),
  'books verify': createPrinter<BooksCheck>(({ checked, findings }) => {
    const { accounts, transfers, events, blocks, chained, checkpoints, kept } = checked
    return joinLines([
      `Checked ${transfers} transfers, ${accounts} accounts and ${events} events; ${chained} transfers in ${blocks} blocks of the chain; ${checkpoints} checkpoints, and ${kept} stored elsewhere.`,
      ...findings.map(
        ({ check, id, expected, found }) => `WRONG ${check} ${id}: expected ${expected}; found ${found}`,
      ),
      findings.length === 0 ? 'No differences found in the books.' : `${findings.length} wrong.`,
    ])
  }, hasNoFindings),
  'books checkpoint': createPrinter<{ checkpoints: string[] }>(({ checkpoints }) =>
    joinLines(checkpoints.length > 0 ? checkpoints : ['No transfers have ended since the last checkpoints.']),
  ),
  'backup make': createPrinter<Backup>(
    ({ backup, files, bytes, documents, verified: { checked, findings } }) =>
      joinLines([
        `${backup}: ${files} files, ${Math.ceil(bytes / MIB)} MiB.`,
        findings.length === 0
          ? `It can be opened, and its books are correct: ${checked.transfers} transfers.`
          : `It can be opened, but its books have ${findings.length} errors: run countersign verify.`,
        ...(documents === 'BUCKET'
          ? ['Uploaded files are in the bucket, which needs a separate backup.']
          : []),
        'The master key is not part of the backup. Store it elsewhere.',
      ]),
    ({ verified }) => hasNoFindings(verified),
  ),
  'backup check': createPrinter<Findings<string>>(
    ({ findings }) =>
      joinLines([
        ...describeFindings(findings, 'The PostgreSQL log is being archived.'),
        'See docs/backups.md.',
      ]),
    hasNoFindings,
  ),
  'backup restore': createPrinter<{ restored: string; createdAt: string; version: string }>(
    ({ restored, createdAt, version }) =>
      `${restored} was restored to ${createdAt}, from a backup by release ${version}. Start the server.\n`,
  ),
  'database move': createPrinter<{ moved: Record<string, number>; verified: BooksCheck }>(
    ({ moved, verified: { checked, findings } }) => {
      const counts = Object.values(moved)
      const rows = counts.reduce((sum, count) => sum + count, 0)
      return joinLines([
        `${rows} rows of ${counts.length} tables were copied to PostgreSQL and compared with the originals.`,
        findings.length === 0
          ? `The books are correct: ${checked.transfers} transfers.`
          : `The books have ${findings.length} errors, as they did before the move: run countersign verify.`,
        'Start the server with DATABASE_URL, the same master key and the same uploaded files.',
      ])
    },
    ({ verified }) => hasNoFindings(verified),
  ),
  'archive make': createPrinter<{ archived: Archive[] }>(({ archived }, { before }) =>
    joinLines(
      archived.length === 0 ? [`No data from before ${before} to archive.`] : archived.map(formatArchive),
    ),
  ),
  'archive list': createPrinter<ListOutput<Archive>>(({ data }) =>
    joinLines(data.length === 0 ? ['There are no archives.'] : data.map(formatArchive)),
  ),
  'archive check': createPrinter<Findings<string> & { files: number }>(
    ({ files, findings }) =>
      joinLines(describeFindings(findings, `${files} ${files === 1 ? 'file is' : 'files are'} as written.`)),
    hasNoFindings,
  ),
} satisfies Readonly<Record<ServiceCommand | OfflineCommand, Printer>>
