import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBank } from '@countersign/connectors/example-bank/start'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generateKeyPair } from '../../server/src/base/crypto/p256.ts'
import { Client, findCredentialId, sealCode } from '../../server/test/worlds/client.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  SECRET_NAME,
} from '../../server/test/worlds/production/production.testing.ts'
import { PERSON } from '../../server/test/worlds/records/onboarding.testing.ts'
import {
  onPostgres,
  openPlace,
  startCluster,
  startStandby,
} from '../../server/test/worlds/server-process.testing.ts'
import { openCollector } from '../../server/test/worlds/simulators/otlp-collector.testing.ts'
import { TEST_MASTER_KEY } from '../../test/databases.testing.ts'
import {
  blocksOf,
  buildPattern,
  type Command,
  canRunGuides,
  freePorts,
  listCommands,
  newWork,
  type Outcome,
  Shell,
} from './guide.testing.ts'

const PAGE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const WALK = '## Walkthrough: installation to restore\n'

/** Commands on the page that are not run, with the reason. */
const NOT_RUN: ReadonlyMap<string, string> = new Map([
  ['npm ci --ignore-scripts', 'it would take the packages away from all other tests'],
  ['git fetch --tags', 'there is no release after this one, and a clone without tags has none at all'],
  ['git worktree add ../countersign-next v0.3.0', 'the same; the folder is there, as a link to this one'],
])

const has = (program: string) => spawnSync(program, ['--version']).status === 0
/** jq is not installed on every machine. */
const hasJq = has('jq')

const [beforeWalk = '', afterHeading = ''] = PAGE.split(WALK)
const walkEnd = afterHeading.indexOf('\n## ')
const walkCommands = readCommands(afterHeading.slice(0, walkEnd))
const otherCommands = readCommands(beforeWalk + afterHeading.slice(walkEnd))
const statements = blocksOf(PAGE).filter(({ language }) => language === 'sql')

function readCommands(text: string): Command[] {
  return blocksOf(text)
    .filter(({ language }) => ['sh', 'bash', 'console'].includes(language))
    .flatMap(({ language, code }) => listCommands(language, code))
}

function dropSkipped(commands: readonly Command[]): Command[] {
  return commands.filter(({ text }) => !NOT_RUN.has(text) && (hasJq || !text.includes('| jq ')))
}

/** The beginning of a command, and its output. */
interface Expected {
  readonly begins: string
  readonly says: RegExp
}

const CREDENTIALS = /^Platform +(Platform:\S+)\nToken id +(Token:\S+)\nClient secret +(\S+)\nBase URL +http:/
const RIGHT = /^Checked \d+ transfers, .*\nNo differences found in the books\.\n$/

/** The output of the commands outside the walkthrough, by their beginning, longer ones first. */
const EXPECTED: readonly Expected[] = [
  { begins: 'npx countersign rails list', says: /^OUT .*example-bank +http +open\n/ },
  { begins: 'npx countersign rails check', says: /^ok +example-bank +The rail responds/ },
  { begins: 'npx countersign platform create', says: CREDENTIALS },
  { begins: 'npx countersign platform list', says: /Acme\n.*regulated +Bank\n$/ },
  { begins: 'npx countersign token create', says: CREDENTIALS },
  { begins: 'npx countersign token list', says: /First token\n.*VIEW +Reports\n$/ },
  { begins: 'npx countersign token revoke', says: /^Token:\S+ has been revoked\.\n$/ },
  { begins: 'npx countersign wallet unlock', says: /is unlocked\.\n$/ },
  { begins: 'npx countersign verification list', says: /^(?:Verification:.*Customer:\S+\n){2}$/ },
  { begins: 'npx countersign verification decide Verification:… APPROVE', says: /is APPROVED\.\n$/ },
  { begins: 'npx countersign verification decide Verification:… REJECT', says: /is REJECTED\.\n$/ },
  { begins: 'npx countersign verification reopen', says: /is PENDING_MANUAL_REVIEW\.\n$/ },
  { begins: 'npx countersign member invite', says: /http:\/\/\S+#/ },
  { begins: 'npx countersign reconcile', says: /^No rail has moved money yet\.\n$/ },
  {
    begins: 'npx countersign upgrade status',
    says: /^this build .*\n.*none: the upgrade is finished\n.* none\n$/,
  },
  { begins: 'npx countersign upgrade finish', says: /^The upgrade to \S+ is finished\.\n$/ },
  { begins: 'npx countersign cell list', says: /^\* +public +\w+ +\d+ platforms? +this build/ },
  { begins: 'npx countersign cell check', says: /^No problems found in cell public\.\n$/ },
  { begins: 'npx countersign verify', says: RIGHT },
  {
    begins: 'npx countersign backup',
    says: /files, \d+ MiB\.\nIt can be opened, and its books are correct: \d+ transfers\.\n/,
  },
  { begins: 'npx countersign --help', says: /platforms of this server/ },
  { begins: 'npx countersign archive make', says: /^(?:\w+\.jsonl\.gz {2}\d+ rows?\n)+$/ },
  { begins: 'npx countersign archive check', says: /^\d+ files are as written\.\n$/ },
  { begins: 'zcat ', says: /^\{.*"fullName":"Ada Lovelace".*\}\n/ },
  {
    begins: 'COUNTERSIGN_NEW_MASTER_KEY=… npx countersign master-key rotate',
    says: /^The secrets of the database are sealed under the new master key\.\n$/,
  },
  { begins: 'OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 npm start', says: /^$/ },
]

/** These work on a database that no server has open, or with a shifted clock. */
const WITHOUT_SERVER = /master-key rotate|archive |^zcat /

function findExpected({ text }: Command): Expected {
  const found = EXPECTED.find(({ begins }) => text.startsWith(begins))
  if (!found) throw new Error(`nothing says what this prints, or why it is not run: ${text}`)
  return found
}

/** Drops duplicates and puts platforms first, because rails belong to the oldest platform. */
function sortUnique(commands: readonly Command[]): Command[] {
  const isFirst = ({ text }: Command) => text.startsWith('npx countersign platform create')
  const all = [...commands.filter(isFirst), ...commands.filter((command) => !isFirst(command))]
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at)
}

/** Settings for worlds that live for seconds. */
const QUICK = { COUNTERSIGN_DRAIN_SECONDS: '0', OTEL_BSP_SCHEDULE_DELAY: '50' }

describe.skipIf(!canRunGuides)('the operations guide', () => {
  test('has only commands that are run here or listed with a reason', () => {
    const languages = new Set(blocksOf(PAGE).map(({ language }) => language))
    expect([...languages].sort()).toEqual(['console', 'json', 'sh', 'sql', 'yaml'])
    expect(walkCommands.length).toBeGreaterThan(30)
    expect(otherCommands.length).toBeGreaterThan(25)
    for (const command of dropSkipped(otherCommands)) findExpected(command)
    const known = [...walkCommands, ...otherCommands].map(({ text }) => text)
    expect([...NOT_RUN.keys()].filter((text) => !known.includes(text))).toEqual([])
  })

  // Each command takes a second of processor time and more, so one kind of database runs the operator's
  // commands, the other one the walk.
  test.skipIf(onPostgres)(
    "each of the operator's commands does what the page says, with a server in production on an embedded database",
    async () => {
      const world = await openWorld()
      const commands = sortUnique(dropSkipped(otherCommands))
      const begins = commands.filter(({ text }) => text.endsWith('npm start'))
      expect(begins).toHaveLength(1)
      await world.start(begins[0]!.text)
      for (const command of commands)
        if (!begins.includes(command) && !WITHOUT_SERVER.test(command.text)) await world.checkCommand(command)
      await expect.poll(() => world.collector.posts.some(({ path }) => path === '/v1/traces')).toBe(true)
      await world.stop()
      for (const command of commands) if (WITHOUT_SERVER.test(command.text)) await world.checkCommand(command)
    },
  )

  test.runIf(onPostgres)(
    'the walkthrough from installation over an upgrade and a failover to a restore works to the letter',
    async () => {
      const walk = await openWalk()
      for (const command of dropSkipped(walkCommands)) await walk.goes(command)
      for (const { code } of statements) await walk.states(code)
    },
  )
})

/**
 * A temporary folder, a bank, a trace collector, and a shell with the settings of a production server.
 */
async function openWorld() {
  const work = await newWork()
  onTestFinished(work.remove)
  const place = await openPlace('ready')
  onTestFinished(place.remove)
  const [port] = await freePorts(1)
  const bank = await startBank({ port: 0, folder: join(work.path, 'bank'), secrets: BANK_SECRET })
  onTestFinished(bank.close)
  const collector = await openCollector()
  onTestFinished(collector.close)
  const rails = join(work.path, 'rails.json')
  await writeFile(rails, JSON.stringify({ rails: [exampleBank(bank.url)] }))
  const quick = join(work.path, 'quick.mjs')
  await writeFile(quick, SHORT_LIFE)
  await writeFile(join(work.path, 'clock.mjs'), CLOCK_AHEAD)
  const shell = await Shell.open(work.path, {
    ...QUICK,
    ...place.env,
    NODE_OPTIONS: `--import=${quick}`,
    PORT: port!,
    COUNTERSIGN_MODE: 'production',
    COUNTERSIGN_MASTER_KEY: TEST_MASTER_KEY,
    RAILS_FILE: rails,
    [SECRET_NAME]: BANK_SECRET,
    // Codes are created, but nothing receives them.
    SMTP_URL: 'smtp://127.0.0.1:1',
  })
  onTestFinished(() => shell.close())
  return new World(shell, collector, work.path, `http://127.0.0.1:${port}`)
}

/**
 * Optimizing the embedded database's code costs more time than it saves in a process that runs for seconds.
 */
const SHORT_LIFE = `
import { setFlagsFromString } from 'node:v8'
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
`

const MONTHS_AHEAD = 8
/** Moves a program's clock to when this month is old enough for an archive. */
const CLOCK_AHEAD = `
const ahead = ${MONTHS_AHEAD * 31 * 24 * 3600 * 1000}
const Now = Date
globalThis.Date = class extends Now {
  constructor(...at) { super(...(at.length > 0 ? at : [Now.now() + ahead])) }
  static now() { return Now.now() + ahead }
}
`

class World {
  readonly #shell: Shell
  readonly collector: Awaited<ReturnType<typeof openCollector>>
  readonly #work: string
  readonly #origin: string
  /** The value for the page's `…`, by the text before it. */
  readonly #ids = new Map<string, string>()
  readonly #newKey = 'ab'.repeat(32)

  constructor(shell: Shell, collector: World['collector'], work: string, origin: string) {
    this.#shell = shell
    this.collector = collector
    this.#work = work
    this.#origin = origin
  }

  async start(text: string): Promise<void> {
    const command = text.replace('http://localhost:4318', this.collector.url)
    await this.#shell.run(`${command} > server.log 2>&1 & SERVER=$!`)
    const ready = `until curl -sf ${this.#origin}/readyz; do kill -0 $SERVER || break; sleep 0.1; done`
    const { stdout } = await this.#shell.run(ready)
    expect(stdout, (await this.#shell.run('cat server.log')).stdout).toBe('{"status":"ready"}')
  }

  async stop(): Promise<void> {
    const { code } = await this.#shell.run('kill $SERVER; wait $SERVER')
    expect(code).toBe(0)
  }

  /** Runs a command from the page, and compares its output with the page. */
  async checkCommand(command: Command): Promise<void> {
    const { says } = findExpected(command)
    const outcome = await this.#shell.run(this.#fillPlaceholders(command.text))
    expect(outcome, command.text).toEqual({ code: 0, stdout: expect.stringMatching(says), stderr: '' })
    if (command.shown) expect(listShape(outcome.stdout)).toEqual(listShape(command.shown))
    await this.#prepareNext(command, outcome)
  }

  #fillPlaceholders(text: string): string {
    const at = text.includes('REJECT') || text.includes('reopen') ? 'Verification:2' : 'Verification:1'
    const filled = text
      .replace('Verification:…', this.#ids.get(at) ?? '')
      .replace(/(Platform|Token|InternalAccount):…/, (id) => this.#ids.get(id) ?? '')
      .replace('NEW_MASTER_KEY=…', `NEW_MASTER_KEY=${this.#newKey}`)
      .replace(/ (\/backups|\/archives)/, ` ${this.#work}$1`)
    // The page says that the command prompts, and that a script adds --yes.
    if (text.includes('token revoke')) return filled.replace(' #', ' --yes #')
    if (text.startsWith('zcat'))
      return `(cd ${this.#work}/archives && ${filled
        .replace(/events_\d{4}_\d\d/, 'events_*')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, this.#ids.get('Customer')!)})`
    if (!text.includes('archive ')) return filled
    return `NODE_OPTIONS="$NODE_OPTIONS --import=${this.#work}/clock.mjs" ${filled.replace('2026-03', addMonths(3))}`
  }

  /** Prepares data that the following commands need. */
  async #prepareNext({ text }: Command, { stdout }: Outcome): Promise<void> {
    const [, platform, token] = CREDENTIALS.exec(stdout) ?? []
    if (text.includes('--name Acme')) {
      this.#ids.set('Platform:…', platform!)
      for (const n of [1, 2]) this.#ids.set(`Verification:${n}`, await this.#createVerification(stdout))
    }
    if (text.includes('--name Bank'))
      this.#ids.set('InternalAccount:…', await this.#createGuessedWallet(stdout))
    if (text.includes('token create')) this.#ids.set('Token:…', token!)
    if (text.includes('master-key rotate'))
      await this.#shell.run(`export COUNTERSIGN_MASTER_KEY=${this.#newKey}`)
  }

  /** Opens a client for the platform whose credentials were printed. */
  #openClient(printed: string): Client {
    const [, platformId = '', tokenId = '', clientSecret = ''] = CREDENTIALS.exec(printed) ?? []
    const credentials = { platformId, tokenId, clientSecret }
    return new Client(credentials, `${this.#origin}/2025-10-13`)
  }

  async #createVerification(printed: string): Promise<string> {
    const client = this.#openClient(printed)
    const { id: customerId } = (await client.post('/customers', PERSON)).body
    this.#ids.set('Customer', customerId.replace('Customer:', ''))
    return (await client.post('/verifications', { customerId })).body.id
  }

  /** Creates a wallet whose sign-in code was guessed wrong. */
  async #createGuessedWallet(printed: string): Promise<string> {
    const client = this.#openClient(printed)
    const { id } = (await client.post('/customers', { ...PERSON, email: 'ada@example.com' })).body
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}`)).body
    const wallet = data.find(({ type }: { type: string }) => type === 'EMBEDDED_WALLET').id
    const credential = await findCredentialId(client, wallet)
    const { body } = await client.post(`/auth/credentials/${credential}/challenge`)
    const guess = {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: sealCode(body.otpEncryptionTargetBundle, generateKeyPair(), 'abcdef'),
    }
    expect((await client.post(`/auth/credentials/${credential}/verify`, guess)).status).toBe(401)
    return wallet
  }
}

/** Returns the month that is `months` months from now, in the commands' format. */
function addMonths(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString().slice(0, 7)
}

/** Returns the lines without the parts that vary: row counts and months. */
function listShape(text: string): string[] {
  const lines = text.trim().split('\n')
  const shapes = lines.map((line) =>
    line.replace(/_(?:first|\d{4}_\d\d)\./, '_MONTH.').replace(/\d+ (row|file)s?/, 'N $1s'),
  )
  return [...new Set(shapes)].sort()
}

/** Starts a PostgreSQL primary with a standby, and an empty shell. */
async function openWalk() {
  const work = await newWork()
  onTestFinished(work.remove)
  const primary = await startCluster()
  onTestFinished(primary.stop)
  const standby = await startStandby(primary)
  onTestFinished(standby.stop)
  const [first, second] = await freePorts(2)
  const shell = await Shell.open(work.path, QUICK)
  onTestFinished(() => shell.close())
  await shell.run(`PATH=${primary.bin}:$PATH`)
  const here = (text: string) =>
    text
      .replaceAll('@db1,db2/', `@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/`)
      .replaceAll('@db1/', `@127.0.0.1:${primary.port}/`)
      .replaceAll('@db2/', `@127.0.0.1:${standby.port}/`)
      .replaceAll('/srv/countersign', join(work.path, 'data'))
      .replaceAll('8787', first!)
      .replaceAll('8788', second!)
  let platform = ''
  return {
    async goes({ text, shown }: Command): Promise<void> {
      if (shown?.includes('"code":"UNAVAILABLE"')) await primary.stop()
      const outcome = await shell.run(here(text).replace('Platform:…', platform))
      const logs = async () => (await shell.run('cat server-*.log')).stdout
      const message = outcome.code === 0 ? text : `${text}\n${outcome.stderr}${await logs()}`
      expect(outcome.code, message).toBe(shown?.startsWith('WRONG') ? 1 : 0)
      if (text.includes('npx countersign')) expect(outcome.stderr, text).toBe('')
      if (shown !== undefined) expect(`${outcome.stdout.trimEnd()}\n`, text).toMatch(buildPattern(shown))
      platform ||= /Platform:\S+/.exec(outcome.stdout)?.[0] ?? ''
    },
    async states(sql: string): Promise<void> {
      const url = `postgres://postgres@127.0.0.1:${standby.port}/postgres`
      expect(await shell.run(`psql ${url} -v ON_ERROR_STOP=1 <<'SQL'\n${sql}SQL`)).toMatchObject({ code: 0 })
    },
  }
}
