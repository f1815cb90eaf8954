import type { Command } from 'commander'
import { runServerProgram } from '../connection/server-program.ts'
import { confirmed } from '../terminal/confirmation.ts'
import { readPermissions } from '../terminal/permissions.ts'
import { checkArchives, listArchives, makeArchive } from './archive.ts'
import { backUp, migrate, restore } from './backup.ts'
import { checkCell, listCells, mapCell } from './cell.ts'
import { createPlatform, listPlatforms } from './platforms.ts'
import { checkRails, listRails, retryBankFiles } from './rails.ts'
import { reconcile } from './reconcile.ts'
import { createToken, listTokens, revokeToken } from './tokens.ts'
import { finishUpgrade, showUpgrade } from './upgrade.ts'
import { decideVerification, listVerifications, reopenVerification } from './verifications.ts'
import { makeCheckpoints, verifyBooks } from './verify.ts'
import { unlockWallet } from './wallets.ts'

type Done = (exitCode: number) => void

/** Adds the commands of the operator, which work on the database: `countersign platform …`, `token …` and others. */
export function addAdminCommands(program: Command, done: Done): void {
  addPlatform(program, done)
  addMasterKey(program, done)
  addToken(program, done)
  addWallet(program, done)
  addVerification(program, done)
  addRails(program, done)
  addBankFiles(program, done)
  addReconcile(program, done)
  addUpgrade(program, done)
  addCell(program, done)
  addProofs(program, done)
  addBackups(program, done)
  addArchives(program, done)
}

function addPlatform(program: Command, done: Done): void {
  const platform = program.command('platform').description('platforms of this server')
  platform
    .command('create')
    .description('create a platform and show its first token, once')
    .requiredOption('--name <name>', 'name of the platform')
    .option(
      '--regulated',
      'it verifies the identity of its customers itself: in production they are approved from the start',
    )
    .option('--json', 'print JSON')
    .action(async (options: { name: string; regulated?: boolean; json?: boolean }) =>
      done(await createPlatform(options)),
    )
  platform
    .command('list')
    .description('list the platforms')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await listPlatforms(options)))
}

function addMasterKey(program: Command, done: Done): void {
  program
    .command('master-key')
    .description('the key that all secrets of the database are sealed under')
    .command('rotate')
    .description('replace COUNTERSIGN_MASTER_KEY by COUNTERSIGN_NEW_MASTER_KEY')
    .action(async () =>
      done((await runServerProgram(['master-key', 'rotate'], { captures: 'nothing' })).exitCode),
    )
}

function addToken(program: Command, done: Done): void {
  const token = program.command('token').description('API tokens')
  token
    .command('create')
    .description('create a token for a platform and show it, once')
    .requiredOption('--platform <id>', 'the platform, Platform:…')
    .requiredOption('--name <name>', 'name of the token')
    .requiredOption(
      '--permissions <list>',
      'of VIEW, TRANSACT, MANAGE, APPROVE, REVIEW, separated by commas',
      readPermissions,
    )
    .option('--json', 'print JSON')
    .action(
      async (options: { platform: string; name: string; permissions: readonly string[]; json?: boolean }) =>
        done(await createToken(options)),
    )
  token
    .command('list')
    .description('list the tokens of a platform, without their secrets')
    .requiredOption('--platform <id>', 'the platform, Platform:…')
    .option('--json', 'print JSON')
    .action(async (options: { platform: string; json?: boolean }) => done(await listTokens(options)))
  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'the token, Token:…')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean; yes?: boolean }) => {
      await confirmed(`Revoke ${id} permanently?`, options.yes)
      done(await revokeToken(id, options))
    })
}

function addWallet(program: Command, done: Done): void {
  program
    .command('wallet')
    .description('embedded wallets, for the operator')
    .command('unlock')
    .description('unlock sign-in by code to a wallet after a hundred wrong codes')
    .argument('<id>', 'the wallet, InternalAccount:…')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => done(await unlockWallet(id, options)))
}

function addVerification(program: Command, done: Done): void {
  const verification = program.command('verification').description('decide about customers, as the operator')
  verification
    .command('list')
    .description('list the verifications of all platforms that wait for a decision')
    .option('--status <status>', 'another status, like RESOLVE_ERRORS')
    .option('--json', 'print JSON')
    .action(async (options: { status?: string; json?: boolean }) => done(await listVerifications(options)))
  verification
    .command('decide')
    .description('approve or reject a customer')
    .argument('<id>', 'the verification, Verification:…')
    .argument('<decision>', 'APPROVE or REJECT')
    .option('--reason <text>', 'why; required for REJECT, and shown to the platform')
    .option('--json', 'print JSON')
    .action(async (id: string, decision: string, options: { reason?: string; json?: boolean }) =>
      done(await decideVerification(id, decision, options)),
    )
  verification
    .command('reopen')
    .description('have a rejection looked at again')
    .argument('<id>', 'the verification, Verification:…')
    .requiredOption('--reason <text>', 'why; kept with the decision')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { reason: string; json?: boolean }) =>
      done(await reopenVerification(id, options)),
    )
}

function addRails(program: Command, done: Done): void {
  const rails = program.command('rails').description('the rails of RAILS_FILE')
  rails
    .command('list')
    .description('print the routing table: a payment goes by the first line that fits')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await listRails(options)))
  rails
    .command('check')
    .description('call each rail, signed, and say how that went; exits with 1 where one falls short')
    .option('--rail <name>', 'this one alone')
    .option('--json', 'print JSON')
    .action(async (options: { rail?: string; json?: boolean }) => done(await checkRails(options)))
}

function addBankFiles(program: Command, done: Done): void {
  const bankFiles = program.command('bank-files').description('files of banks')
  bankFiles
    .command('retry')
    .description('have refused files read again, as after an upgrade; exits with 1 if one is gone')
    .option('--rail <name>', 'of this rail alone')
    .option('--file <name>', 'of this name alone')
    .option('--json', 'print JSON')
    .action(async (options: Parameters<typeof retryBankFiles>[0]) => done(await retryBankFiles(options)))
}

function addReconcile(program: Command, done: Done): void {
  program
    .command('reconcile')
    .description('reconcile the statements of rails with the books; the exit code is 1 if they differ')
    .option('--rail <name>', 'one rail (default: all)')
    .option('--date <date>', 'the day of the statements, like 2026-03-01; left out: yesterday')
    .option('--book <entry>', 'book an entry that is UNEXPLAINED, StatementEntry:…; goes together with --as')
    .option('--as <account>', 'fx: it was dealt at the bank; costs: the bank has charged or paid it')
    .option('--json', 'print JSON')
    .action(async (options: Parameters<typeof reconcile>[0]) => done(await reconcile(options)))
}

function addUpgrade(program: Command, done: Done): void {
  const upgrade = program.command('upgrade').description('upgrades of several servers on one database')
  upgrade
    .command('status')
    .description('say how far the upgrade to this release is')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await showUpgrade(options)))
  upgrade
    .command('finish')
    .description('take the last steps, once no server of the release before runs; it cannot run afterwards')
    .option('--force', 'also where servers of another release seem to be connected')
    .option('--json', 'print JSON')
    .action(async (options: { force?: boolean; json?: boolean }) => done(await finishUpgrade(options)))
}

function addCell(program: Command, done: Done): void {
  const cell = program.command('cell').description('cells: schemas of one database with separate servers')
  cell
    .command('list')
    .description('list the cells of the database; * marks the one of DATABASE_SCHEMA')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await listCells(options)))
  cell
    .command('check')
    .description('check the cell of DATABASE_SCHEMA; the exit code is 1 if something is wrong')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await checkCell(options)))
  cell
    .command('map')
    .description('print the API tokens of the cell as a map for HAProxy')
    .option('--backend <name>', 'the backend of HAProxy; left out: DATABASE_SCHEMA')
    .option('--json', 'print JSON')
    .action(async (options: { backend?: string; json?: boolean }) => done(await mapCell(options)))
}

function addProofs(program: Command, done: Done): void {
  program
    .command('verify')
    .description(
      'check the whole ledger, its hash chain and its checkpoints; the exit code is 1 where something is wrong',
    )
    .option('--checkpoints <file>', 'checkpoints that were kept elsewhere, one JSON object a line')
    .option('--json', 'print JSON')
    .action(async (options: { checkpoints?: string; json?: boolean }) => done(await verifyBooks(options)))
  program
    .command('checkpoint')
    .description('sign for all transfers that have ended up to now')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await makeCheckpoints(options)))
}

function addBackups(program: Command, done: Done): void {
  program
    .command('backup')
    .description(
      'copy the embedded database and the uploaded files into a new folder, while the server keeps running; with PostgreSQL, without a folder: check that its log is archived',
    )
    .argument('[folder]', 'where the backup goes')
    .option('--json', 'print JSON')
    .action(async (folder: string | undefined, options: { json?: boolean }) =>
      done(await backUp(folder, options)),
    )
  program
    .command('restore')
    .description('put a backup into an empty data directory, once every file of it was checked')
    .argument('<folder>', 'the backup')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: { json?: boolean }) => done(await restore(folder, options)))
  program
    .command('migrate')
    .description('move the embedded database of a data directory to an empty PostgreSQL database')
    .requiredOption('--from <folder>', 'the data directory; no server runs on it')
    .option('--to <url>', 'the database, postgres://…; left out: DATABASE_URL')
    .option('--json', 'print JSON')
    .action(async (options: { from: string; to?: string; json?: boolean }) => done(await migrate(options)))
}

function addArchives(program: Command, done: Done): void {
  const archive = program
    .command('archive')
    .description('events, deliveries and the audit trail of past months, in files')
  archive
    .command('make')
    .description('write whole months to files and remove them from the database')
    .argument('<folder>', 'where the files go')
    .requiredOption(
      '--before <month>',
      'the first month that stays, like 2026-03; the last three stay in any case',
    )
    .option('--json', 'print JSON')
    .action(async (folder: string, options: { before: string; json?: boolean }) =>
      done(await makeArchive(folder, options)),
    )
  archive
    .command('list')
    .description('list the files that were written')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => done(await listArchives(options)))
  archive
    .command('check')
    .description(
      'compare the files with their recorded hashes; the exit code is 1 if one is missing or has changed',
    )
    .argument('<folder>', 'the folder of the files')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: { json?: boolean }) => done(await checkArchives(folder, options)))
}
