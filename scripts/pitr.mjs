// Restores a database to a point in time with pgBackRest, following docs/backups.md: makes payments, a backup,
// more payments and a mistake, and goes back to the moment before the mistake. Takes half a minute:
//   node scripts/pitr.mjs
// Exits with 0 only if every payment before that moment exists once, and the ledger and the event feed continue.
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { ensureBuilt } from './build.mjs'
import { query } from './cluster/cluster.mjs'
import { MAIN, runCommand } from './cluster/operator-command.mjs'
import { findBackupPrograms, unprivilegedUser } from './cluster/packages.mjs'
import { Program, pause, until } from './cluster/program.mjs'
import { findLostOrDuplicated, findMissedEvents, verifyBooks } from './drill/checks.mjs'
import { Follower, Load } from './drill/load.mjs'
import { freePort } from './free-port.mjs'
import { ensureInstalled } from './install.mjs'
import { runScript, say } from './run.mjs'
import { Servers } from './upgrade/servers.mjs'

const exec = promisify(execFile)
const DATABASE = 'countersign'
const STANZA = 'countersign'
const LOAD_MS = 2000

/** A PostgreSQL server in its own folder, whose log is archived by pgBackRest. */
class ArchivedPostgres {
  /** @param {ReturnType<typeof findBackupPrograms>} programs @param {number} port */
  constructor(programs, port) {
    this.programs = programs
    this.port = port
    this.user = unprivilegedUser()
    this.folder = fs.mkdtempSync(
      path.join(this.user.uid === undefined ? tmpdir() : '/tmp', 'countersign-pitr-'),
    )
    this.data = path.join(this.folder, 'data')
    this.config = path.join(this.folder, 'pgbackrest.conf')
    const parameters = [
      ...['-D', this.data, '-p', String(port), '-k', this.folder, '-c', 'listen_addresses=127.0.0.1'],
      ...[
        '-c',
        'max_connections=200',
        '-c',
        'archive_mode=on',
        '-c',
        `archive_command=${this.#archiveCommand}`,
      ],
    ]
    this.program = new Program('postgres', {
      file: path.join(programs.postgres, 'postgres'),
      args: parameters,
      cwd: this.folder,
      logs: this.folder,
      user: this.user,
    })
  }

  get #archiveCommand() {
    return `${this.programs.pgbackrest} --config=${this.config} --stanza=${STANZA} archive-push %p`
  }

  async create() {
    const initOptions = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
    for (const name of ['repo', 'log', 'lock']) fs.mkdirSync(path.join(this.folder, name))
    fs.writeFileSync(
      this.config,
      [
        '[global]',
        `repo1-path=${this.folder}/repo`,
        'repo1-retention-full=2',
        `log-path=${this.folder}/log`,
        `lock-path=${this.folder}/lock`,
        'start-fast=y',
        `[${STANZA}]`,
        `pg1-path=${this.data}`,
        `pg1-port=${this.port}`,
        `pg1-socket-path=${this.folder}`,
        'pg1-user=postgres',
        '',
      ].join('\n'),
    )
    const { uid, gid } = this.user
    if (uid !== undefined)
      for (const name of ['.', 'repo', 'log', 'lock', 'pgbackrest.conf'])
        fs.chownSync(path.join(this.folder, name), uid, gid ?? 0)
    await exec(path.join(this.programs.postgres, 'initdb'), ['-D', this.data, ...initOptions], this.#asUser)
  }

  async start() {
    this.program.start()
    await until(`PostgreSQL takes changes (see ${this.program.log})`, async () => {
      const [row] = await query(this.port, 'postgres', 'SELECT NOT pg_is_in_recovery() AS is_ready')
      return row?.is_ready
    })
  }

  /** @param {readonly string[]} parameters */
  async backrest(...parameters) {
    const { pgbackrest } = this.programs
    await exec(pgbackrest, [`--config=${this.config}`, `--stanza=${STANZA}`, ...parameters], this.#asUser)
  }

  async remove() {
    await this.program.end('SIGQUIT')
    fs.rmSync(this.folder, { recursive: true, force: true })
  }

  get #asUser() {
    return { cwd: this.folder, ...this.user, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } }
  }
}

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'sdk'])
  const postgres = new ArchivedPostgres(findBackupPrograms(), await freePort())
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'countersign-pitr-server-'))
  try {
    await postgres.create()
    await postgres.start()
    await query(postgres.port, 'postgres', `CREATE DATABASE ${DATABASE}`)
    const url = `postgres://postgres@127.0.0.1:${postgres.port}/${DATABASE}`
    const servers = new Servers(folder, url)
    try {
      return (await restoreToPoint(postgres, servers)) ? 0 : 1
    } finally {
      await servers.stop()
    }
  } finally {
    await postgres.remove()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

/** @param {ArchivedPostgres} postgres @param {Servers} servers */
async function restoreToPoint(postgres, servers) {
  const { Countersign } = await import('@countersign/sdk')
  await servers.listen()
  await servers.add(MAIN)
  const { tokenId, clientSecret, baseUrl } = servers.credentials
  const base = `${servers.origin}${new URL(baseUrl).pathname}`
  const countersign = new Countersign({ baseUrl: base, tokenId, clientSecret })
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  const load = await new Load(countersign, { base, authorization }).start()
  const follower = new Follower(countersign)

  await postgres.backrest('stanza-create')
  await postgres.backrest('--type=full', 'backup')
  const inBackup = load.acknowledged.size
  await pause(LOAD_MS)
  await load.stop()
  await pause(LOAD_MS)
  await follower.stop()
  const [{ target }] = await query(postgres.port, DATABASE, 'SELECT clock_timestamp()::text AS target')
  say(`${load.acknowledged.size} payments are acknowledged, ${inBackup} of them by the end of the backup.`)

  await countersign.sandbox.reset()
  const findings = await waitForArchive(postgres, servers, target)
  const summary = findings.join(' ') || 'nothing wrong'
  say(`A mistake empties the platform. The log is archived; countersign backup finds: ${summary}`)
  await restore(postgres, servers, target)

  const resumed = new Follower(countersign, follower.seen.at(-1))
  for (const { accountId } of load.payers ?? []) await countersign.sandbox.fund(accountId, { amount: 1n })
  await countersign.sandbox.advanceClock({ seconds: 1200 })
  const wrong = [
    ...findings,
    ...(await verifyBooks(servers.options)),
    ...(await findLostOrDuplicated(postgres.port, load, { isOver: true })),
    ...(await findMissedEvents(postgres.port, DATABASE, resumed, follower.seen)),
  ]
  await resumed.stop()
  for (const line of wrong) say(`WRONG: ${line}`)
  say(
    wrong.length === 0
      ? 'Nothing from before that moment is lost or doubled; the feed continues.'
      : `${wrong.length} wrong.`,
  )
  return wrong.length === 0
}

/**
 * Waits until the log up to a moment has been archived. Returns the findings of `countersign backup check`.
 * @param {ArchivedPostgres} postgres
 * @param {Servers} servers @param {string} target @returns {Promise<string[]>}
 */
async function waitForArchive(postgres, servers, target) {
  await query(postgres.port, DATABASE, 'SELECT pg_switch_wal()')
  const sql = 'SELECT last_archived_time > $1::timestamptz AS is_archived FROM pg_stat_archiver'
  return until('the log is archived', async () => {
    const [row] = await query(postgres.port, DATABASE, sql, [target])
    return row?.is_archived && (await runCommand(servers.options, 'backup', 'check')).findings
  })
}

/** @param {ArchivedPostgres} postgres @param {Servers} servers @param {string} target */
async function restore(postgres, servers, target) {
  const startMs = performance.now()
  await servers.stopOne(0)
  await postgres.program.end('SIGINT')
  fs.rmSync(postgres.data, { recursive: true })
  await postgres.backrest('--type=time', `--target=${target}`, '--target-action=promote', 'restore')
  await postgres.start()
  await servers.replace(0, MAIN)
  const seconds = Math.round((performance.now() - startMs) / 1000)
  say(`The database was restored to ${target}, ${seconds} s after the server was stopped.`)
}
